package l7

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
)

// drain begins one and returns its end.
func (h *house) drain(grace time.Duration) <-chan error {
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		done <- h.front.Drain(ctx)
	}()
	eventually(h.t, "nobody is let in", func() bool {
		conn, err := net.Dial("tcp", h.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	return done
}

func (h *house) later(header ...string) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		a, err := h.try(context.Background(), http.MethodGet, "/", nil, header...)
		if err != nil {
			a.err = err
		}
		got <- a
	}()
	return got
}

// case B177's shape: who is held when we leave is still served.
func TestHeldRequestIsServedDuringDrain(t *testing.T) {
	h := newHouse(t, nil)
	got := h.later()
	waitFor(h, 1)
	done := h.drain(10 * time.Second)
	h.replica("hello", "r1", named("r1"))
	if a := <-got; a.err != nil || a.StatusCode != 200 || a.replica() != "r1" {
		t.Errorf("got %v", a)
	}
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
}

func TestHeldRequestIsAnsweredAtTheEndOfTheGrace(t *testing.T) {
	h := newHouse(t, nil)
	got := h.later()
	waitFor(h, 1)
	done := h.drain(100 * time.Millisecond)
	if a := <-got; a.err != nil || a.StatusCode != 503 || a.Header.Get(reasonHeader) != "shutting-down" || a.Header.Get("Retry-After") == "" {
		t.Errorf("got %+v", a)
	}
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
}

func TestResponseUnderWayIsCompletedDuringDrain(t *testing.T) {
	h := newHouse(t, nil)
	begun, more := make(chan struct{}), make(chan struct{})
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun, ")
		w.(http.Flusher).Flush()
		close(begun)
		<-more
		io.WriteString(w, "done")
	})
	got := h.later()
	<-begun
	done := h.drain(10 * time.Second)
	close(more)
	if a := <-got; a.err != nil || a.body != "begun, done" {
		t.Errorf("got %q, %v", a.body, a.err)
	}
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
}

// What does not end is cut, and not cleanly; Drain does not wait for ever.
func TestEndlessResponseIsCut(t *testing.T) {
	h := newHouse(t, nil)
	begun := make(chan struct{})
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
	})
	got := h.later()
	<-begun
	if err := <-h.drain(50 * time.Millisecond); err == nil {
		t.Error("the drain says that all went well")
	}
	if a := <-got; a.err == nil {
		t.Errorf("a clean end: %q", a.body)
	}
	h.idle("hello")
}

// case B085
func TestSocketIsToldThatWeLeave(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(echo))
	_, r, _ := h.socket(handshake)
	done := h.drain(10 * time.Second)
	wantClose(t, r, ws.StatusGoingAway, "")
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
	h.idle("hello")
}

func TestIdleConnectionsAreClosedByDrain(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	r := bufio.NewReader(conn)
	if first := head(r); !strings.HasPrefix(first, "HTTP/1.1 200") {
		t.Fatalf("got %q", first)
	}
	done := h.drain(10 * time.Second)
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
}

// A request that a front end begins to tell of after the last one was waited for is cut, not served: the parts that it
// would need may be gone.
func TestNothingBeginsAfterDrain(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	if a := h.visit(""); a.status != http.StatusOK {
		t.Fatalf("before: %d", a.status)
	}
	if err := <-h.drain(time.Second); err != nil {
		t.Fatal(err)
	}
	if a := h.visit(""); a.status != -1 {
		t.Errorf("after: %d, want it cut", a.status)
	}
}
