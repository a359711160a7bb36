package simulated

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/runtime"
)

// ServeHTTP answers every request on the connection with 200 and the container's id and start as the body, so that a
// test sees who answered.
func ServeHTTP(c runtime.Container, conn net.Conn) {
	answer(conn, c.ID+" "+c.Start)
}

// ServeEcho sends back what it reads.
func ServeEcho(_ runtime.Container, conn net.Conn) {
	_, _ = io.Copy(conn, conn) // ends with the connection
}

func answer(conn net.Conn, body string) {
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		response := http.Response{
			StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: request, Close: request.Close,
			Header:        http.Header{"Content-Type": {"text/plain"}},
			ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
		}
		if response.Write(conn) != nil || request.Close {
			return
		}
	}
}
