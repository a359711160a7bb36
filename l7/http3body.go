package l7

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// http3Body is the body of a request. One goroutine at a time reads it.
type http3Body struct {
	r       *http.Request
	control *http.ResponseController
	begins  chan struct{} // closed when first is read; nil: nobody reads it, or it was taken
	first   []byte
	err     error // of reading first
	ended   bool

	patience time.Duration // left with a visitor who sends nothing, before the answer has begun; 0: without a limit
	most     time.Duration // of it

	mu      sync.Mutex // guards the fields below, and whose deadline is set last
	until   time.Time  // the deadline; zero: there is none
	stopped bool       // nobody wants the body any more
	replied bool       // the answer has begun
}

// endWithin is how long the end of a stream may come after a header: both are mostly in one packet. Whoever takes longer
// has sent a header without an end, and what follows is a body, however short.
const endWithin = 50 * time.Millisecond

// endsAtOnce says whether the end is there, or comes right after the header. No deadline interrupts the reading, since
// that might be inside a frame: it goes on, and Read takes over what came of it.
func (b *http3Body) endsAtOnce() bool {
	b.begins = make(chan struct{})
	go b.begin()
	patience := time.NewTimer(endWithin)
	defer patience.Stop()
	select {
	case <-b.begins:
		return len(b.first) == 0 && b.err == io.EOF
	case <-patience.C:
		return false
	}
}

// begin is a goroutine; it returns with the stream at the latest.
func (b *http3Body) begin() {
	defer close(b.begins)
	first := make([]byte, 1)
	n, err := io.ReadFull(b.r.Body, first)
	b.first, b.err = first[:n], err
}

// Read fails with h1.ErrSlowBody when the visitor is slower than HTTP/1.1's may be.
func (b *http3Body) Read(p []byte) (int, error) {
	began := time.Now()
	b.wait(began)
	n, err := b.read(p)
	b.ended = b.ended || err == io.EOF
	if b.patience > 0 {
		b.patience = h1.Patience(b.patience, time.Since(began), n, b.most)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && !b.isStopped() {
		err = fmt.Errorf("%w: %w", h1.ErrSlowBody, err)
	}
	return n, err
}

func (b *http3Body) read(p []byte) (int, error) {
	if b.begins == nil {
		return b.r.Body.Read(p)
	}
	<-b.begins
	if len(b.first) == 0 {
		return 0, b.err
	}
	n := copy(p, b.first)
	if b.first = b.first[n:]; len(b.first) == 0 {
		b.begins = nil
	}
	return n, nil
}

// wait sets the deadline of a read, unless the one that is set is near enough.
func (b *http3Body) wait(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped || b.replied || b.patience <= 0 {
		return
	}
	at := now.Add(b.patience)
	if off := at.Sub(b.until); off >= 0 && off < b.most/16 {
		return
	}
	b.until = at
	_ = b.control.SetReadDeadline(at)
}

// reply ends all deadlines: once the answer has begun, this is a conversation and may pause.
func (b *http3Body) reply() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replied = true
	if !b.stopped && !b.until.IsZero() {
		b.until = time.Time{}
		_ = b.control.SetReadDeadline(b.until)
	}
}

// stop makes Read return, now and from then on.
func (b *http3Body) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	_ = b.control.SetReadDeadline(past)
}

func (b *http3Body) isStopped() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopped
}

var past = time.Unix(1, 0)

// trailer leaves out what was announced and did not come.
func (b *http3Body) trailer() fields.List {
	if b.ended {
		maps.DeleteFunc(b.r.Trailer, func(_ string, values []string) bool { return values == nil })
	}
	return fields.From(b.r.Trailer)
}
