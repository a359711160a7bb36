package relay

import (
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// half makes a pipe's end look as if it could be half-closed; the test ends the far end by hand.
type half struct{ net.Conn }

func (half) CloseWrite() error { return nil }

// piped is tunnelled for a bubble.
func piped(t *testing.T, o Options) (a, b net.Conn, done chan result) {
	a, nearA := net.Pipe()
	b, nearB := net.Pipe()
	done = make(chan result, 1)
	run(t.Context(), half{nearA}, half{nearB}, o, done)
	return a, b, done
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a, b, done := piped(t, Options{Idle: time.Minute})
		time.Sleep(50 * time.Second)
		say(t, a, "x") // either direction counts for both
		hear(t, b, "x")
		wantIs(t, (<-done).err, ErrIdle)
		wantElapsed(t, start, 110*time.Second)
	})
}

// A half-closed tunnel is bounded by silence, not by time: a long answer may take as long as it likes.
func TestHalfClosedIsBounded(t *testing.T) {
	tests := map[string]struct {
		options Options
		silence time.Duration
		want    error
	}{
		"default":       {Options{}, 5 * time.Minute, ErrHalfClosed},
		"given":         {Options{HalfClosed: time.Second}, time.Second, ErrHalfClosed},
		"idle is lower": {Options{HalfClosed: time.Hour, Idle: 10 * time.Minute}, 10 * time.Minute, ErrIdle},
		"idle is not":   {Options{HalfClosed: time.Minute, Idle: time.Hour}, time.Minute, ErrHalfClosed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, done := piped(t, test.options)
				drained := make(chan struct{})
				go drain(b, drained)
				time.Sleep(test.silence / 2)
				a.Close()
				start := time.Now()
				got := <-done
				wantIs(t, got.err, test.want)
				wantElapsed(t, start, test.silence)
				<-drained
			})
		})
	}
}

func TestHalfClosedNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, done := piped(t, Options{HalfClosed: -1})
		a.Close()
		time.Sleep(240 * time.Hour)
		synctest.Wait()
		if len(done) > 0 {
			t.Error("ended by itself")
		}
		b.Close()
		if got := <-done; got.err != nil {
			t.Errorf("ended with %v", got.err)
		}
	})
}

// Nothing queues up: what nobody takes stays with its writer, but for one buffer.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, done := piped(t, Options{})
		var taken atomic.Int64
		go feed(a, &taken)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := taken.Load(); n > largeBuffer {
			t.Errorf("%d bytes were taken", n)
		}
		b.Close()
		<-done
	})
}

// Without a half-close the end of one side can only be told by ending the other.
func TestNoHalfClose(t *testing.T) {
	a, nearA := net.Pipe()
	_, nearB := net.Pipe()
	a.Close()
	done := make(chan result, 1)
	run(t.Context(), nearA, nearB, Options{}, done)
	wantIs(t, (<-done).err, ErrNoHalfClose)
}

func feed(c net.Conn, taken *atomic.Int64) {
	p := make([]byte, 1<<10)
	for {
		n, err := c.Write(p)
		taken.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func drain(c net.Conn, done chan<- struct{}) {
	defer close(done)
	p := make([]byte, 1<<10)
	for {
		if _, err := c.Read(p); err != nil {
			return
		}
	}
}

func wantElapsed(t *testing.T, start time.Time, want time.Duration) {
	t.Helper()
	if got := time.Since(start); got != want {
		t.Errorf("took %v, want %v", got, want)
	}
}
