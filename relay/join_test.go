package relay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

func TestBothDirections(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		a, b, done := way.joined(t, t.Context(), Options{EarlyA: []byte("first "), EarlyB: []byte("hello ")})
		say(t, a, "second")
		hear(t, b, "first second")
		say(t, b, "world")
		hear(t, a, "hello world")
		a.Close()
		b.Close()
		got := <-done
		if got.err != nil || got.stats != (Stats{AtoB: 12, BtoA: 11}) {
			t.Errorf("got %+v", got)
		}
	})
}

// The end of one direction is handed on and leaves the other alone, for as long as it moves.
func TestHalfClose(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		a, b, done := way.joined(t, t.Context(), Options{})
		say(t, a, "question")
		a.CloseWrite()
		hear(t, b, "question")
		hearEnd(t, b)
		say(t, b, "long answer")
		hear(t, a, "long answer")
		b.CloseWrite()
		hearEnd(t, a)
		if got := <-done; got.err != nil {
			t.Errorf("ended with %v", got.err)
		}
	})
}

// cases B079, B082: an error on either side ends both loops and both connections.
func TestResetEndsBoth(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		for name, victim := range map[string]int{"a": 0, "b": 1} {
			t.Run(name, func(t *testing.T) {
				a, b, done := way.joined(t, t.Context(), Options{})
				ends := []*net.TCPConn{a, b}
				ends[victim].SetLinger(0)
				ends[victim].Close()
				wantIs(t, (<-done).err, syscall.ECONNRESET)
				if _, err := ends[1-victim].Read(make([]byte, 1)); err == nil {
					t.Error("the other side is still open")
				}
			})
		}
	})
}

func TestCancel(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		cause := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		a, b, done := way.joined(t, ctx, Options{})
		cancel(cause)
		wantIs(t, (<-done).err, cause)
		hearEnd(t, a)
		hearEnd(t, b)
	})
}

// case B085: whoever ends a tunnel can still say why.
func TestFarewell(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		guard := &watcher{farewell: func(a net.Conn, cause error) {
			wantIs(t, cause, syscall.ECONNRESET)
			if _, err := a.Write([]byte("late")); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("its deadline is to come: %v", err)
			}
			a.SetDeadline(time.Now().Add(time.Second))
			io.WriteString(a, "1012")
		}}
		a, b, done := way.joined(t, t.Context(), Options{Guard: guard})
		say(t, b, "news ")
		hear(t, a, "news ")
		b.SetLinger(0)
		b.Close()
		hear(t, a, "1012")
		hearEnd(t, a)
		<-done
		if got := guard.sent.String(); got != "news " { // its own words are not told
			t.Errorf("the guard saw %q", got)
		}
	})
}

// What the guard has to say comes after all that B said, and before the end.
func TestLastWords(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		bulk := strings.Repeat("0123456789", 1<<20)
		guard := &watcher{words: "1012"}
		a, b, done := way.joined(t, t.Context(), Options{Guard: guard, EarlyB: []byte("early ")})
		go func() { io.WriteString(b, bulk); b.CloseWrite() }()
		time.Sleep(10 * time.Millisecond) // A is slow
		got, err := io.ReadAll(a)
		a.Close()
		if got := <-done; got.err != nil || got.stats.BtoA != int64(len(bulk)+10) {
			t.Errorf("ended with %+v", got)
		}
		if want := "early " + bulk + "1012"; err != nil || string(got) != want || guard.sent.String() != want {
			t.Errorf("got %d bytes, %v; the guard saw %d, of %d", len(got), err, guard.sent.Len(), len(want))
		}
	})
}

// A guard that sees B end where it must not ends the whole.
func TestGuardThatWillNotEnd(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		inside := errors.New("inside a frame")
		guard := &watcher{ending: inside, farewell: func(a net.Conn, cause error) {
			wantIs(t, cause, inside)
			a.(interface{ SetLinger(int) error }).SetLinger(0)
		}}
		a, b, done := way.joined(t, t.Context(), Options{Guard: guard})
		b.CloseWrite()
		_, err := a.Read(make([]byte, 1))
		wantIs(t, err, syscall.ECONNRESET)
		wantIs(t, (<-done).err, inside)
	})
}

func TestNoFarewellAfterACleanEnd(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		a, b, done := way.joined(t, t.Context(), Options{
			Guard: &watcher{farewell: func(net.Conn, error) { t.Error("farewell") }},
			Reset: func(error) bool { t.Error("reset"); return true },
		})
		a.CloseWrite()
		b.CloseWrite()
		<-done
	})
}

func TestReset(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the start is over")
		a, b, done := way.joined(t, ctx, Options{Reset: func(err error) bool { return errors.Is(err, cause) }})
		say(t, a, "x")
		hear(t, b, "x")
		cancel(cause)
		for _, end := range []net.Conn{a, b} {
			_, err := end.Read(make([]byte, 1))
			wantIs(t, err, syscall.ECONNRESET)
		}
		<-done
	})
}

// The end of B is told, with what it had said, and whether it was asked for; an end of A is not one of B's.
func TestEndOfB(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		type end struct {
			bytes int64
			asked bool
		}
		told := make(chan end, 2)
		o := Options{EndB: func(n int64, asked bool) { told <- end{n, asked} }}
		a, b, done := way.joined(t, t.Context(), o)
		say(t, b, "12345")
		hear(t, a, "12345")
		b.Close()
		if got := <-told; got != (end{5, false}) {
			t.Errorf("told of %+v", got)
		}
		a.Close()
		<-done
		a, b, done = way.joined(t, t.Context(), o)
		a.CloseWrite()
		hearEnd(t, b)
		b.CloseWrite()
		if got := <-told; got != (end{0, true}) {
			t.Errorf("told of %+v", got)
		}
		<-done
		a, _, done = way.joined(t, t.Context(), o)
		a.SetLinger(0)
		a.Close()
		<-done
		if len(told) > 0 {
			t.Error("told of an end that was A's")
		}
	})
}

// watcher is a guard.
type watcher struct {
	sent     bytes.Buffer
	words    string
	ending   error
	farewell func(net.Conn, error)
}

func (w *watcher) Sent(p []byte)                    { w.sent.Write(p) }
func (w *watcher) Ending() ([]byte, error)          { return []byte(w.words), w.ending }
func (w *watcher) Farewell(a net.Conn, cause error) { w.farewell(a, cause) }

// Bulk in both directions at once arrives as it was sent, through buffers of both sizes.
func TestBulk(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		data := bytes.Repeat([]byte("0123456789abcde"), 400_000)
		a, b, done := way.joined(t, t.Context(), Options{})
		var all sync.WaitGroup
		for _, c := range []*net.TCPConn{a, b} {
			all.Go(func() { c.Write(data); c.CloseWrite() })
			all.Go(func() {
				if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%d of %d bytes, %v", len(got), len(data), err)
				}
			})
		}
		all.Wait()
		if got := <-done; got.err != nil || got.stats.AtoB != int64(len(data)) || got.stats.BtoA != int64(len(data)) {
			t.Errorf("got %+v", got)
		}
	})
}

// case B082: after 1,000 abnormal ends there is not one goroutine or descriptor more.
func TestNothingLeaks(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		ctx := context.Background()
		loop.Shared() // its own stay
		before := used()
		for i := range 1000 {
			o := Options{Idle: time.Hour}
			if i%3 == 0 {
				o.Guard = &watcher{farewell: func(net.Conn, error) {}}
			}
			a, b, done := way.joined(t, ctx, o)
			if i%2 == 0 {
				a, b = b, a
			}
			a.SetLinger(0)
			a.Close()
			<-done
			b.Close()
		}
		now := used()
		for deadline := time.Now().Add(10 * time.Second); now.more(before) && time.Now().Before(deadline); now = used() {
			time.Sleep(10 * time.Millisecond)
		}
		if now.more(before) {
			t.Errorf("used %+v, before %+v", now, before)
		}
	})
}

type usage struct{ goroutines, descriptors int }

func used() usage {
	fds, _ := os.ReadDir("/proc/self/fd") // empty where there is no such thing
	return usage{goruntime.NumGoroutine(), len(fds)}
}

func (u usage) more(than usage) bool {
	return u.goroutines > than.goroutines+2 || u.descriptors > than.descriptors+2
}
