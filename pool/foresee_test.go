package pool

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What is foreseen is what Await says then, and foreseeing takes nothing.
func TestForesee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := func(a *App, outcome Outcome) {
			t.Helper()
			if got := a.Foresee(); got != outcome {
				t.Errorf("foreseen: %v, want %v", got, outcome)
			}
		}
		a := NewApp("app", Policy{Max: 1, Seats: 1, HoldQueue: 1})
		want(a, Wait)
		ctx, leave := context.WithCancel(t.Context())
		answer := waiter(ctx, a, Visitor{})
		synctest.Wait()
		want(a, Full) // the queue is
		leave()
		<-answer
		want(a, Wait)
		a.SetFailure(&Failure{Reason: "crashed", Until: time.Now().Add(time.Hour)})
		want(a, Failed)
		ready(t, a, "one", "s")
		want(a, Served)
		want(a, Served)
		lease := served(t, a, Visitor{})
		want(a, Full) // its seat is taken
		lease.Release()
		want(a, Served)
		a.Close()
		want(a, Failed)
	})
}
