package h2

import (
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// counted is a request with a body that waits for a 100.
func counted() (r *h1.Request, released *atomic.Int32, over chan struct{}) {
	released, over = &atomic.Int32{}, make(chan struct{})
	r = post(strings.NewReader("all of it"))
	r.Expect, r.Released = true, func() {
		if released.Add(1) == 1 {
			close(over)
		}
	}
	return r, released, over
}

// Whose body waits for a 100 when the app refuses his stream has it sent by the second attempt, and it is released once: by
// whoever has it last.
func TestWaitingBodiesAreReleasedOnce(t *testing.T) {
	a := newApp(t)
	r, released, over := counted()
	done := a.ask(r)
	p := a.accept()
	_ = p.framer.WriteRSTStream(p.request().StreamID, http2.ErrCodeRefusedStream)
	id := p.request().StreamID
	if n := released.Load(); n != 0 {
		t.Errorf("released %d times before the second attempt", n)
	}
	p.begin(id, p.encode(":status", "100"), false)
	if got := next[*http2.DataFrame](p); string(got.Data()) != "all of it" {
		t.Errorf("the app has got %q", got.Data())
	}
	p.answer(id)
	(<-done).ok(t)
	<-over
	if n := released.Load(); n != 1 {
		t.Errorf("released %d times", n)
	}
}

// Refused twice, it is released once, too.
func TestBodiesThatNobodyTakesAreReleasedOnce(t *testing.T) {
	a := newApp(t)
	r, released, over := counted()
	done := a.ask(r)
	p := a.accept()
	for range 2 {
		_ = p.framer.WriteRSTStream(p.request().StreamID, http2.ErrCodeRefusedStream)
	}
	(<-done).is(t, errUnseen, false)
	<-over
	if n := released.Load(); n != 1 {
		t.Errorf("released %d times", n)
	}
}
