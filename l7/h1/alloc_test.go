//go:build !race

// The race detector makes sync.Pool forget at random.

package h1

import (
	"net"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

// The hot path: an exchange on a kept connection allocates nothing, however its body is framed.
func TestExchangeAllocatesNothing(t *testing.T) {
	for name, response := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nServer: x\r\nKeep-Alive: timeout=30\r\nContent-Length: 2\r\n\r\nhi",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n",
		"empty":   "HTTP/1.1 304 Not Modified\r\nEtag: \"x\"\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go parrot(l, response)
			client, gone := newClient(t), NewGone()
			to := Target{Key: client, Addr: l.Addr().(*net.TCPAddr).AddrPort(), Ended: make(chan struct{})}
			request := &Request{Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "Accept", Value: "*/*"}}}
			buffer := make([]byte, 100)
			exchange := func() {
				response, err := client.Do(gone, to, request, nil)
				if err != nil {
					t.Fatal(err)
				}
				for err == nil {
					_, err = response.Body.Read(buffer)
				}
				response.Body.Close()
			}
			exchange() // opens the connection
			if n := testing.AllocsPerRun(500, exchange); n >= 1 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
