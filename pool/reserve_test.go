package pool

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// P2: however many decide at once, the rows never pass max.
func TestReserveNeverPassesMax(t *testing.T) {
	a := NewApp("app", Policy{Max: 7})
	var reserved atomic.Int32
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			_, err := a.Reserve(fmt.Sprint(i), 0, nil)
			switch {
			case err == nil:
				reserved.Add(1)
			case !errors.Is(err, ErrAtMax):
				t.Errorf("reserve: %v, want %v", err, ErrAtMax)
			}
			if n := len(a.Snapshot().Rows); n > 7 {
				t.Errorf("%d rows, max is 7", n)
			}
		})
	}
	all.Wait()
	if reserved.Load() != 7 || len(a.Snapshot().Rows) != 7 {
		t.Errorf("%d reservations, %d rows, want 7", reserved.Load(), len(a.Snapshot().Rows))
	}
}

// P2: rows of every state count, and a slot is free when the row is removed, not before.
func TestEveryRowCountsAgainstMax(t *testing.T) {
	states := map[string]func(*Row){
		"starting":   func(*Row) {},
		"ready":      func(r *Row) { r.BecomeReady(upstream("s")) },
		"suspect":    func(r *Row) { r.BecomeReady(upstream("s")); r.Suspected("refused") },
		"restarting": func(r *Row) { r.Restarts() },
		"draining":   func(r *Row) { r.Drains(SleepRemove, "idle") },
		"asleep":     func(r *Row) { r.Sleeps() },
	}
	for name, change := range states {
		t.Run(name, func(t *testing.T) {
			a := NewApp("app", Policy{Max: 1})
			if _, err := a.Reserve("one", 0, change); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Reserve("two", 0, nil); !errors.Is(err, ErrAtMax) {
				t.Errorf("reserve: %v, want %v", err, ErrAtMax)
			}
			a.Remove("one", 0)
			if _, err := a.Reserve("two", 0, nil); err != nil {
				t.Errorf("reserve after the removal: %v", err)
			}
		})
	}
}

// P2: a replacement adds its surge, and no more.
func TestSurgeGoesThatFarAboveMax(t *testing.T) {
	a := appWith(t, 2, Policy{Max: 2})
	if _, err := a.Reserve("new", 1, nil); err != nil {
		t.Fatalf("reserve with surge: %v", err)
	}
	for _, surge := range []int{0, 1} {
		if _, err := a.Reserve("more", surge, nil); !errors.Is(err, ErrAtMax) {
			t.Errorf("reserve with surge %d beside a surge: %v, want %v", surge, err, ErrAtMax)
		}
	}
}

// P3: what runs already is counted whatever max says, once, and blocks the next reservation.
func TestInsistCountsWhatRunsAlready(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 1})
	if _, ok := a.Insist("found", nil); !ok {
		t.Fatal("a running container was not taken in above max")
	}
	if _, ok := a.Insist("found", nil); ok {
		t.Error("one container became two rows")
	}
	a.Remove("r0", 0)
	if _, err := a.Reserve("new", 0, nil); !errors.Is(err, ErrAtMax) {
		t.Errorf("reserve: %v, want %v", err, ErrAtMax)
	}
}

func TestReserveRefusesAKnownReplica(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 3})
	if _, err := a.Reserve("r0", 0, nil); !errors.Is(err, ErrKnown) {
		t.Errorf("reserve: %v, want %v", err, ErrKnown)
	}
}

// case B056: a policy without a max lets one replica start.
func TestMaxIsAtLeastOne(t *testing.T) {
	a := NewApp("app", Policy{})
	refused(t, a, Visitor{}, Wait)
	if _, err := a.Reserve("one", 0, nil); err != nil {
		t.Errorf("reserve: %v", err)
	}
	a.SetPolicy(Policy{Seats: 2})
	if max := a.Snapshot().Policy.Max; max != 1 {
		t.Errorf("max is %d after a reload, want 1", max)
	}
}

// A closed app takes no row and lets nobody in; who has a session there stays until the row goes.
func TestClosedAppLetsNobodyIn(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 2, Sticky: true})
	lease := served(t, a, Visitor{Open: true})
	a.Close()
	admission := a.Admit(Visitor{Open: true})
	if admission.Outcome != Failed || admission.Failure.Reason != "removed" {
		t.Errorf("new visitor: %v %+v, want failed, removed", admission.Outcome, admission.Failure)
	}
	stranger := back(lease)
	stranger.Session = NewSessionID()
	refused(t, a, stranger, Failed)
	served(t, a, back(lease)).Release()
	if _, err := a.Reserve("new", 0, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("reserve: %v, want %v", err, ErrClosed)
	}
}
