package pool

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// waiter asks and reports.
func waiter(ctx context.Context, a *App, v Visitor) <-chan Admission {
	answer := make(chan Admission, 1)
	go func() { answer <- a.Await(ctx, v) }()
	return answer
}

// case B031: when the change was never told, the waiter asks by himself within a second.
func TestLostWakeUpIsRepaired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		answer := waiter(t.Context(), a, Visitor{})
		synctest.Wait()
		publishUntold(a)
		asked := time.Now()
		if admission := <-answer; admission.Outcome != Served {
			t.Fatalf("waiter is told %q", admission.Outcome)
		}
		if waited := time.Since(asked); waited >= time.Second || waited == 0 {
			t.Errorf("released after %v, want less than 1s by the ticker", waited)
		}
	})
}

// publishUntold makes a ready row appear with the broadcast lost.
func publishUntold(a *App) {
	a.publish(func(next *Snapshot) bool {
		a.insert(next, "one", func(r *Row) { r.BecomeReady(upstream("s")) })
		return true
	})
}

// A change that is told releases everybody at once, and nobody is left counted.
func TestReadyReleasesAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		a.Reserve("one", 0, nil)
		asked := time.Now()
		var served atomic.Int32
		for range 200 {
			go func() {
				if a.Await(t.Context(), Visitor{}).Outcome == Served {
					served.Add(1)
				}
			}()
		}
		synctest.Wait()
		if n := a.Waiting(time.Now()); n != 200 {
			t.Errorf("%d are counted as waiting, want 200", n)
		}
		settle(t, a, "one", func(r *Row) { r.BecomeReady(upstream("s")) })
		synctest.Wait()
		if served.Load() != 200 || time.Since(asked) != 0 {
			t.Errorf("%d served after %v, want 200 at once", served.Load(), time.Since(asked))
		}
		if n := a.Waiting(time.Now()); n != 0 {
			t.Errorf("%d are still counted as waiting", n)
		}
	})
}

// case B055: a seat that becomes free is told at once, whatever it was that held it.
func TestFreedSeatWakesWhoWaits(t *testing.T) {
	frees := map[string]func(*App, Lease){
		"lease ends":    func(_ *App, l Lease) { l.Release() },
		"session ends":  func(a *App, l Lease) { l.Release(); a.EndSession(l.Session.ID) },
		"session swept": func(a *App, l Lease) { l.Release(); a.Sweep(time.Now().Add(time.Hour)) },
	}
	for name, free := range frees {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := NewApp("app", Policy{Max: 2, Seats: 1, Sticky: name != "lease ends", SessionIdle: time.Minute})
				ready(t, a, "one", "s")
				holder := served(t, a, Visitor{Open: true})
				answer := waiter(t.Context(), a, Visitor{Open: true})
				synctest.Wait()
				freed := time.Now()
				free(a, holder)
				if admission := <-answer; admission.Outcome != Served || time.Since(freed) != 0 {
					t.Errorf("waiter is told %q after %v", admission.Outcome, time.Since(freed))
				}
			})
		})
	}
}

// Who comes when the queue is full is told so, and does not count as waiting.
func TestHoldQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		a := NewApp("app", Policy{Max: 1, HoldQueue: 2})
		first, second := waiter(ctx, a, Visitor{}), waiter(ctx, a, Visitor{})
		synctest.Wait()
		if admission := a.Await(ctx, Visitor{}); admission.Outcome != Full {
			t.Errorf("third is told %q, want full", admission.Outcome)
		}
		if n := a.Waiting(time.Now()); n != 2 {
			t.Errorf("%d are counted as waiting, want 2", n)
		}
		leave()
		<-first
		<-second
		if n := a.Waiting(time.Now()); n != 0 {
			t.Errorf("%d are counted after all left", n)
		}
	})
}

// A failed start is told at once; when the next try is allowed, waiting makes sense again.
func TestFailureIsToldUntilTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		answer := waiter(t.Context(), a, Visitor{})
		synctest.Wait()
		a.SetFailure(&Failure{Reason: "crashed", Until: time.Now().Add(2 * time.Second)})
		admission := <-answer
		if admission.Outcome != Failed || admission.Failure.Reason != "crashed" {
			t.Errorf("waiter is told %q, %+v", admission.Outcome, admission.Failure)
		}
		time.Sleep(2 * time.Second)
		refused(t, a, Visitor{}, Wait)
	})
}

// The scaler is nudged when somebody comes to wait and by every change, but not by an attempt that changed nothing: it
// would wake itself for ever.
func TestNudgesComeFromChangesOnly(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 1})
	nudged := func() bool { return len(a.Work()) > 0 && func() bool { <-a.Work(); return true }() }
	nudged()
	changed := a.Changed()
	version := row(t, a, "r0").Version
	a.Reserve("r0", 0, nil)
	a.Reserve("more", 0, nil)
	a.Insist("r0", nil)
	a.Settle("r0", version+1, func(*Row) bool { return true })
	a.Settle("r0", version, func(*Row) bool { return false })
	a.Remove("other", 0)
	a.SetFailure(nil)
	if nudged() || isClosed(changed) {
		t.Error("an attempt that changed nothing woke somebody")
	}
	settle(t, a, "r0", func(r *Row) { r.Drains(SleepRemove, "idle") })
	if !nudged() || !isClosed(changed) {
		t.Error("a change woke nobody")
	}
}
