package l7

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"testing"
)

// A Content-Length says how long a body is: not in a 1xx, a 204 or a trailer, which have none (RFC 9110, sections 6.5.1 and
// 8.6), whatever the app says there. Strict visitors break such answers off.
func TestLengthsOfNothing(t *testing.T) {
	overProtocols(t, func(t *testing.T, open opener) {
		h := open(t, nil)
		h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
			head(r)
			_, _ = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 3\r\n\r\n"+
				"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nContent-Length: 5\r\nX-Sum: 1\r\n\r\n")
		})
		early := make(chan string, 1)
		trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
			early <- fmt.Sprint(h)
			return nil
		}})
		got, err := h.try(trace, http.MethodGet, "/", nil)
		if err != nil || got.err != nil || got.body != "a" || got.Trailer.Get("X-Sum") != "1" || got.Trailer.Get("Content-Length") != "" {
			t.Errorf("got %q %v, %v", got.body, got.Trailer, err)
		}
		if hints := <-early; hints != "map[Link:[</a>]]" {
			t.Errorf("early: %s", hints)
		}
	})
}

// A 304 may say how long the body would be that it has not; there are clients of HTTP/2, Go's among them, that wait for it.
func TestLengthsOfBodiesThatAreKnown(t *testing.T) {
	overProtocols(t, func(t *testing.T, open opener) {
		h := open(t, nil)
		h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
			head(r)
			_, _ = io.WriteString(conn, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 100\r\n\r\n")
		})
		got, err := h.try(t.Context(), http.MethodGet, "/", nil)
		if err != nil || got.err != nil || got.StatusCode != http.StatusNotModified || got.Header.Get("ETag") != `"x"` {
			t.Errorf("got %v, %v, %v", got.Response, got.err, err)
		}
	})
}
