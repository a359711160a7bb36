package probe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
)

const ok = "HTTP/1.1 200 OK\r\n\r\n"

var getUp = probe.Check{Kind: probe.HTTP, Addr: addr, Path: "/up"}

// until runs a wait of at most a minute.
func until(t *testing.T, p probe.Prober, check probe.Check, watch probe.Watch) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	err = p.Until(ctx, check, watch)
	return time.Since(began), err
}

// 10 ms doubling to 100 ms for 5 s, then every 250 ms.
func TestRhythm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		began := time.Now()
		p := probe.Prober{Dial: func(context.Context, netip.AddrPort) (net.Conn, error) {
			at = append(at, time.Since(began))
			return nil, syscall.ECONNREFUSED
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		err := p.Until(ctx, getUp, probe.Watch{})
		wantErr(t, err, probe.ErrNotReady)
		wantErr(t, err, syscall.ECONNREFUSED)
		wantErr(t, err, context.DeadlineExceeded)
		ms := time.Millisecond
		if want := []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 150 * ms, 250 * ms, 350 * ms}; !slices.Equal(at[:7], want) {
			t.Errorf("attempts at %v", at[:7])
		}
		if n := len(at); at[n-1]-at[n-2] != 250*ms || at[n-5]-at[n-6] != 100*ms && at[n-4]-at[n-5] != 250*ms {
			t.Errorf("last attempts at %v", at[n-6:])
		}
	})
}

// What the deadline ends says nothing, also if it is the dial that notices first: the failure before does.
func TestLastWordsBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		p := probe.Prober{Dial: func(context.Context, netip.AddrPort) (net.Conn, error) {
			if time.Since(began) < 990*time.Millisecond {
				return nil, syscall.ECONNREFUSED
			}
			time.Sleep(time.Until(began.Add(time.Second)))
			return nil, os.ErrDeadlineExceeded
		}}
		inner, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err := p.Until(early{inner, began.Add(time.Second)}, getUp, probe.Watch{})
		wantErr(t, err, syscall.ECONNREFUSED)
	})
}

// early is a context that ends later than it says.
type early struct {
	context.Context
	deadline time.Time
}

func (e early) Deadline() (time.Time, bool) { return e.deadline, true }

// case B212, case B163: an app that runs and does not listen yet is not ready; it is as soon as it listens.
func TestListensLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := (&app{boot: time.Now().Add(3 * time.Second)}).answers(0, ok)
		took, err := until(t, a.prober(), getUp, probe.Watch{})
		if err != nil || took < 3*time.Second || took > 3100*time.Millisecond {
			t.Fatalf("ready after %v: %v", took, err)
		}
	})
}

// case B061: nothing but the caller's deadline ends the wait.
func TestSlowBoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := (&app{boot: time.Now().Add(75 * time.Second)}).answers(0, ok)
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		wantErr(t, a.prober().Until(ctx, getUp, probe.Watch{}), nil)
	})
}

// case B059: an app that needs longer for an answer than the next attempt waits is ready all the same.
func TestSlowAnswersOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(app).answers(4*time.Second, ok)
		took, err := until(t, a.prober(), getUp, probe.Watch{})
		if err != nil || took != 4*time.Second {
			t.Fatalf("ready after %v: %v", took, err)
		}
		slower := new(app).answers(20*time.Second, ok)
		check := getUp
		check.Timeout = 30 * time.Second
		took, err = until(t, slower.prober(), check, probe.Watch{})
		if err != nil || took != 20*time.Second || slower.dials.Load() != 8 {
			t.Fatalf("ready after %v, %d dials: %v", took, slower.dials.Load(), err)
		}
		time.Sleep(time.Minute) // the app ends its answers to nobody
	})
}

// One connection that is lost while the app boots costs no timeout.
func TestLostAttemptIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(app).answers(0, ok)
		answer := a.serve
		a.serve = func(conn net.Conn) {
			if a.dials.Load() == 1 {
				silent(conn)
				return
			}
			answer(conn)
		}
		took, err := until(t, a.prober(), getUp, probe.Watch{})
		if err != nil || took != time.Second {
			t.Fatalf("ready after %v: %v", took, err)
		}
	})
}

// case B166: the last failure is kept and shown, also when the very last attempt hung.
func TestLastErrorIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing := new(app).answers(0, "HTTP/1.1 404 Not Found\r\n\r\n").serve
		a := new(app)
		a.serve = func(conn net.Conn) {
			if a.dials.Load() > 3 {
				silent(conn)
				return
			}
			missing(conn)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		err := a.prober().Until(ctx, getUp, probe.Watch{})
		if err == nil || err.Error() != "not ready after 4s: GET /up → 404" {
			t.Fatalf("got %v", err)
		}
		var status *probe.StatusError
		if !errors.As(err, &status) {
			t.Fatal("the status is lost")
		}
	})
}

func TestOnlySilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &app{serve: silent}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err := a.prober().Until(ctx, getUp, probe.Watch{})
		wantErr(t, err, probe.ErrNotReady)
		wantErr(t, err, probe.ErrTimeout)
	})
}

// case B166: a container that moves during the probing is followed.
func TestAddressIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(app).answers(0, ok)
		moved := netip.MustParseAddrPort("127.64.0.9:8080")
		p := probe.Prober{Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			if to != moved {
				return nil, syscall.EHOSTUNREACH
			}
			return a.dial(ctx, to)
		}}
		began := time.Now()
		watch := probe.Watch{Addr: func() netip.AddrPort {
			if time.Since(began) < time.Second {
				return addr
			}
			return moved
		}}
		took, err := until(t, p, getUp, watch)
		if err != nil || took < time.Second || took > 1100*time.Millisecond {
			t.Fatalf("ready after %v: %v", took, err)
		}
	})
}

func TestExitEndsTheWait(t *testing.T) {
	cause := errors.New("exited with code 3")
	for name, watch := range map[string]func() probe.Watch{
		"told": func() probe.Watch {
			exited := make(chan error, 1)
			time.AfterFunc(250*time.Millisecond, func() { exited <- cause })
			return probe.Watch{Exited: exited}
		},
		"asked": func() probe.Watch {
			return probe.Watch{Alive: func(context.Context) error { return cause }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &app{serve: silent}
				took, err := until(t, a.prober(), getUp, watch())
				wantErr(t, err, probe.ErrExited)
				wantErr(t, err, cause)
				if took != 250*time.Millisecond {
					t.Errorf("noticed after %v", took)
				}
			})
		})
	}
}

// P6: asking whether the container lives may hang; the attempts go on.
func TestHungAliveDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := (&app{boot: time.Now().Add(2 * time.Second)}).answers(0, ok)
		watch := probe.Watch{Alive: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		if took, err := until(t, a.prober(), getUp, watch); err != nil || took > 2100*time.Millisecond {
			t.Fatalf("ready after %v: %v", took, err)
		}
	})
}

func TestHealthIsPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		check := probe.Check{Kind: probe.Health, Status: func(context.Context) (string, error) {
			switch up := time.Since(began); {
			case up < time.Second:
				return "", io.ErrUnexpectedEOF // the engine had a bad moment
			case up < 2*time.Second:
				return "starting", nil
			default:
				return "healthy", nil
			}
		}}
		took, err := until(t, probe.Prober{}, check, probe.Watch{})
		if err != nil || took < 2*time.Second || took > 2100*time.Millisecond {
			t.Fatalf("ready after %v: %v", took, err)
		}
	})
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &app{serve: silent}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		wantErr(t, a.prober().Until(ctx, getUp, probe.Watch{}), context.Canceled)
	})
}
