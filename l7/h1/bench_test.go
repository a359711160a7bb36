package h1

import (
	"io"
	"net"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

// BenchmarkDo is one small exchange on a kept connection.
func BenchmarkDo(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go parrot(l, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Length: 2\r\n\r\nhi")
	gone := NewGone()
	client := &Client{Dial: dial}
	defer client.Close()
	to := Target{Key: 1, Addr: l.Addr().(*net.TCPAddr).AddrPort()}
	r := &Request{Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "Accept", Value: "*/*"}, {Name: "X-Forwarded-For", Value: "192.0.2.1"}}}
	b.ReportAllocs()
	for b.Loop() {
		response, err := client.Do(gone, to, r, nil)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

// parrot answers whatever comes in one piece.
func parrot(l net.Listener, response string) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	request, answer := make([]byte, 4<<10), []byte(response)
	for {
		if _, err := c.Read(request); err != nil {
			return
		}
		c.Write(answer)
	}
}
