package l7

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// An app that refuses a stream has as many as it takes: that is its word, and no sign of its death. Nobody waits for it to
// come back, and it is not looked at.
func TestH2CAppThatRefusesStreams(t *testing.T) {
	h := newH2CHouse(t)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(http2.ClientPreface)))
		framer := http2.NewFramer(conn, r)
		_ = framer.WriteSettings()
		for {
			f, err := framer.ReadFrame()
			if err != nil {
				return
			}
			if f.Header().Type == http2.FrameHeaders {
				_ = framer.WriteRSTStream(f.Header().StreamID, http2.ErrCodeRefusedStream)
			}
		}
	})
	began := time.Now()
	got := h.get("/")
	if got.StatusCode != http.StatusBadGateway || got.Header.Get(reasonHeader) != reasonBadAnswer {
		t.Errorf("got %d %s", got.StatusCode, got.Header.Get(reasonHeader))
	}
	if n := h.reports.count(); n > 0 {
		t.Errorf("it was reported %d times, in %v", n, time.Since(began))
	}
	h.idle("hello")
}
