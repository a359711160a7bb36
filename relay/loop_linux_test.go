package relay

import (
	"context"
	"errors"
	"io"
	"net"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

// An idle connection holds two descriptors and its pair, and neither a goroutine nor a buffer.
func TestIdleConnectionsHoldLittle(t *testing.T) {
	const pairs = 500
	loop.Shared()
	memory, before := heap(), used()
	var far []*net.TCPConn
	ended := make(chan error, pairs)
	for range pairs {
		a, nearA := ends(t)
		b, nearB := ends(t)
		Join(t.Context(), nearA, nearB, Options{}, func(_ Stats, err error) { ended <- err })
		say(t, a, "x")
		hear(t, b, "x")
		far = append(far, a, b)
	}
	now := used()
	if now.goroutines > before.goroutines+2 || now.descriptors > before.descriptors+4*pairs+2 {
		t.Errorf("used %+v, before %+v", now, before) // two of each pair are the test's own
	}
	// The test's ends take about as much again.
	if each := (heap() - memory) / pairs; each > 3<<10 {
		t.Errorf("%d bytes each", each)
	}
	for _, c := range far {
		c.Close()
	}
	for range pairs {
		if err := <-ended; err != nil {
			t.Errorf("ended with %v", err)
		}
	}
}

func heap() uint64 {
	goruntime.GC()
	goruntime.GC() // pools keep what they have for one
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// What a socket does not take waits in a buffer that goes back when it is taken.
func TestBackpressureOnALoop(t *testing.T) {
	a, b, done := way(func(c *net.TCPConn) net.Conn { return c }).joined(t, t.Context(), Options{})
	sent := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(a, io.LimitReader(endless{}, 64<<20))
		a.CloseWrite()
		sent <- n
	}()
	select {
	case n := <-sent:
		t.Fatalf("%d bytes were taken, and nobody reads", n)
	case <-time.After(300 * time.Millisecond): // the kernel's buffers are full by then, and the rest must stay with its sender
	}
	if n, err := io.Copy(io.Discard, b); n != 64<<20 || err != nil {
		t.Errorf("got %d bytes, %v", n, err)
	}
	b.Close()
	if got := <-done; got.err != nil || <-sent != 64<<20 {
		t.Errorf("ended with %+v", got)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Silence is counted anew with each byte; half-closed is half as long.
func TestSilenceOnALoop(t *testing.T) {
	asIs := way(func(c *net.TCPConn) net.Conn { return c })
	a, b, done := asIs.joined(t, t.Context(), Options{Idle: 200 * time.Millisecond})
	start := time.Now()
	for range 4 {
		time.Sleep(100 * time.Millisecond)
		say(t, a, "x")
		hear(t, b, "x")
	}
	wantIs(t, (<-done).err, ErrIdle)
	if took := time.Since(start); took < 600*time.Millisecond {
		t.Errorf("it ended after %v", took)
	}
	hearEnd(t, a)
	a, b, done = asIs.joined(t, t.Context(), Options{HalfClosed: 50 * time.Millisecond})
	a.CloseWrite()
	hearEnd(t, b)
	wantIs(t, (<-done).err, ErrHalfClosed)
}

// One context ends all that share it and none of the others, however many have ended by themselves.
func TestContextsEndTheirOwn(t *testing.T) {
	asIs := way(func(c *net.TCPConn) net.Conn { return c })
	mine, end := context.WithCancelCause(t.Context())
	other, endOther := context.WithCancelCause(t.Context())
	defer endOther(nil)
	var ended []chan result
	for i := range 12 {
		a, b, done := asIs.joined(t, mine, Options{})
		say(t, a, "x") // it has begun
		hear(t, b, "x")
		if i%3 == 0 {
			a.Close()
			b.Close()
			<-done
			continue
		}
		ended = append(ended, done)
	}
	a, b, open := asIs.joined(t, other, Options{})
	cause := errors.New("over")
	end(cause)
	for _, done := range ended {
		wantIs(t, (<-done).err, cause)
	}
	say(t, a, "still")
	hear(t, b, "still")
	_, _, done := asIs.joined(t, mine, Options{}) // too late
	wantIs(t, (<-done).err, cause)
	a.Close()
	b.Close()
	<-open
	left := make(chan int)
	for l, all := range everyFate() {
		l.Do(func() { left <- len(all) })
		if n := <-left; n != 0 {
			t.Errorf("%d contexts are remembered", n)
		}
	}
}
