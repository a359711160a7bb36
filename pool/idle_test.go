package pool

import (
	"testing"
	"testing/synctest"
	"time"
)

// cases B053, B068: a row that takes longer to start than the app's idle time is not idle when it is ready.
func TestYoungRowIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1, Idle: time.Second})
		a.Reserve("one", 0, nil)
		time.Sleep(4 * time.Second)
		wantIdle(t, a, 0)
		settle(t, a, "one", func(r *Row) { r.BecomeReady(upstream("s")) })
		wantIdle(t, a, 0)
		time.Sleep(time.Second)
		wantIdle(t, a, time.Second)
		settle(t, a, "one", func(r *Row) { r.Restarts() })
		time.Sleep(time.Minute)
		wantIdle(t, a, 0)
		settle(t, a, "one", func(r *Row) { r.BecomeReady(upstream("s2")) })
		wantIdle(t, a, 0)
	})
}

// A lease, a session and a seat each keep the replica in use; the clock starts when the last of them ends. It runs in a
// bubble, whose clock stands before the package's epoch: instants are negative there.
func TestIdleClockStartsWithTheLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1, Sticky: true, SessionIdle: time.Minute})
		ready(t, a, "one", "s")
		time.Sleep(time.Hour)
		wantIdle(t, a, time.Hour)
		alone := served(t, a, Visitor{})
		time.Sleep(time.Hour)
		alone.Release()
		wantIdle(t, a, 0)
		lease := served(t, a, Visitor{Open: true})
		time.Sleep(time.Hour)
		wantIdle(t, a, 0)
		lease.Release()
		time.Sleep(time.Minute + 1)
		wantIdle(t, a, 0)
		a.Sweep(time.Now())
		wantIdle(t, a, 0)
		time.Sleep(time.Second)
		wantIdle(t, a, time.Second)
	})
}

func wantIdle(t *testing.T, a *App, want time.Duration) {
	t.Helper()
	if got := row(t, a, "one").IdleFor(time.Now()); got != want {
		t.Errorf("idle for %v, want %v", got, want)
	}
}

// case B074: a visit that passes by keeps the replica for as long as it lasts, and the idle clock goes on after it.
func TestPassingVisitIsNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		ready(t, a, "one", "s")
		time.Sleep(time.Hour)
		lease := served(t, a, Visitor{Passing: true})
		wantIdle(t, a, 0)
		lease.Release()
		wantIdle(t, a, time.Hour)
	})
}
