package l7

import (
	"context"
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"
)

// Whatever visitors did, nothing is left of them: no goroutine and no lease.
func TestHTTP2LeavesNothing(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 10)
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
	})
	h.get("/")
	before := goruntime.NumGoroutine()
	for range 20 {
		peer := h.http2Peer()
		for id := uint32(1); id < 20; id += 2 {
			peer.ask(id, nil, id%4 == 1) // half of them never end their body, and nobody reads an answer
		}
		peer.conn.Close()
	}
	visitor := h.http2Visitor()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		request, _ := http.NewRequestWithContext(ctx, "POST", h.url, strings.NewReader(strings.Repeat("y", 100_000)))
		if response, err := visitor.Do(request); err == nil {
			response.Body.Close()
		}
		cancel()
	}
	visitor.CloseIdleConnections()
	h.idle("hello")
	// What the replica keeps of connections that were reset goes, too.
	eventually(t, "no goroutine is left", func() bool { return goruntime.NumGoroutine() <= before+5 })
}
