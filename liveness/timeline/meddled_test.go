package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// booting is an app whose container has run for a second, for a visitor who waits, and the visitor's answer.
func (h *house) booting(edit func(*pool.Policy)) (app *pool.App, row pool.Row, got <-chan pool.Admission) {
	app = h.add("hello", simulated.Image{Boot: 3 * time.Second}, edit)
	answer := make(chan pool.Admission, 1)
	h.visitors.Go(func() { answer <- h.visit(app, pool.Visitor{}) })
	h.after(time.Second)
	return app, h.row(app), answer
}

func (h *house) wantOutcome(got <-chan pool.Admission, want pool.Outcome) {
	h.t.Helper()
	a := <-got
	if a.Outcome != want {
		h.t.Errorf("the visitor is %s %+v, want %s\n%s", a.Outcome, a.Failure, want, h.story())
	}
	if a.Outcome == pool.Served {
		a.Lease.Release()
	}
}

// Somebody restarts a container while it boots: it is waited for, and no other is made.
func TestRestartedWhileItBoots(t *testing.T) {
	for _, down := range []time.Duration{0, time.Second, 1900 * time.Millisecond} {
		live(t, 1, func(t *testing.T, h *house) {
			app, row, got := h.booting(nil)
			h.must(h.world().Restart(row.Container, down))
			h.wantOutcome(got, pool.Served)
			h.wantCreates(1)
			h.after(time.Second)
			h.wantWords(app, journal.ReplicaStarted)
		})
	}
}

// Somebody stops it while it boots: that is a failed start, some moments later.
func TestStoppedWhileItBoots(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, row, got := h.booting(nil)
		h.must(h.world().Stop(row.Container))
		began := time.Now()
		h.wantOutcome(got, pool.Failed)
		if took := time.Since(began); took > 2500*time.Millisecond {
			t.Errorf("told after %s", took)
		}
		if f := app.Snapshot().Failure; f == nil || f.Reason != "crashed" || f.Tries != 1 {
			t.Errorf("the failure is %+v", f)
		}
	})
}

// Somebody removes it while it boots: whoever waits is served by the next one. That is tried at once only once in a row,
// or a script that removes whatever it finds would have us make containers without a pause.
func TestRemovedWhileItBoots(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, row, got := h.booting(nil)
		h.must(h.world().RemoveForce(row.Container))
		h.after(time.Second)
		h.wantCreates(2)
		h.wantOutcome(got, pool.Served)
		h.after(time.Second)
		h.wantWords(app, journal.StartFailed, journal.ReplicaStopped, journal.ReplicaStarted)
		if app.Snapshot().Failure != nil {
			t.Errorf("a failure is left: %+v", app.Snapshot().Failure)
		}
	})
	live(t, 1, func(t *testing.T, h *house) {
		app, row, got := h.booting(nil)
		h.must(h.world().RemoveForce(row.Container))
		h.after(time.Second)
		h.must(h.world().RemoveForce(h.row(app).Container))
		h.wantOutcome(got, pool.Failed)
		if f := app.Snapshot().Failure; f == nil || f.Reason != "interrupted" || f.Tries != 1 {
			t.Errorf("the failure is %+v", f)
		}
		h.wantCreates(2)
	})
}
