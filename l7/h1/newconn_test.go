package h1

import (
	"io"
	"net"
	"testing"

	"github.com/fairlead/fairlead/relay"
)

// BenchmarkNewConnection is a connection for one request, the visitor's part included.
func BenchmarkNewConnection(b *testing.B) {
	l, err := relay.ListenConfig().Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &Server{Handler: echoes}
	go s.Serve(l)
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
}
