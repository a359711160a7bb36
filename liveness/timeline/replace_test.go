package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// flag asks for a replacement of every row, as an operator's restart does.
func flag(app *pool.App) {
	for _, row := range app.Snapshot().Rows {
		app.Settle(row.ID, 0, func(r *pool.Row) bool { r.Replace = true; return true })
	}
}

// Start first: one above max at a time, and somebody serves all the while.
func TestReplaceStartFirst(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 2 * time.Second, StopTime: time.Second}, func(p *pool.Policy) { p.Min, p.Max = 2, 2 })
		h.after(5 * time.Second)
		before := app.Snapshot().Rows
		flag(app)
		for range 300 {
			h.after(50 * time.Millisecond)
			if a := app.Admit(pool.Visitor{}); a.Outcome != pool.Served {
				t.Fatalf("a visitor is %s\n%s", a.Outcome, h.story())
			} else {
				a.Lease.Release()
			}
		}
		h.wantStates(app, pool.Ready, pool.Ready)
		for _, old := range before {
			if _, there := app.Snapshot().Row(old.ID); there {
				t.Errorf("%s was not replaced", old.ID)
			}
		}
		h.wantCreates(4)
		h.wantContainers(app, 2)
		if peak := h.world().Peak("hello"); peak != 3 {
			t.Errorf("%d ran at once, want 3", peak)
		}
	})
}

// The visitors of what is replaced have the policy's drain time, and new ones go to the replacement.
func TestReplacedDrains(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Drain = 20 * time.Second })
		lease := h.served(app)
		flag(app)
		h.after(2 * time.Second)
		h.wantStates(app, pool.Draining, pool.Ready)
		if again := h.served(app); again.Replica == lease.Replica {
			t.Error("a new visitor was sent to the old one")
		}
		h.after(16 * time.Second)
		if !lease.Upstream.Alive() {
			t.Error("ended before its time")
		}
		h.after(5 * time.Second)
		h.wantStates(app, pool.Ready)
		if lease.Upstream.Alive() {
			t.Error("goes on after its time")
		}
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStarted, journal.ReplicaDrained)
	})
}

// Stop first: never two at once.
func TestReplaceStopFirst(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Order = 1, pool.StopFirst })
		h.after(time.Second)
		row := h.row(app)
		flag(app)
		h.after(5 * time.Second)
		if now := h.row(app); now.ID == row.ID || now.State() != pool.Ready {
			t.Errorf("%s is %s", now.ID, now.State())
		}
		if peak := h.world().Peak("hello"); peak != 1 {
			t.Errorf("%d ran at once", peak)
		}
	})
}

// Data would go with the container: it is stopped and started again, and no other is made.
func TestRestartKeepsData(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Volumes: []string{"/data"}}, func(p *pool.Policy) { p.Min, p.KeepData = 1, true })
		h.after(time.Second)
		row := h.row(app)
		flag(app)
		h.after(5 * time.Second)
		now := h.row(app)
		if now.Container != row.Container || now.Start() == row.Start() || !now.Serves() || now.Replace {
			t.Errorf("%.8s in start %s, want %.8s in another than %s\n%s", now.Container, now.Start(), row.Container, row.Start(), h.story())
		}
		h.wantCreates(1)
	})
}

// A replacement that fails backs off, and the old one serves on; when it works at last, it takes over.
func TestReplacementFails(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		lift := h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500})
		flag(app)
		h.after(30 * time.Second)
		if now, there := app.Snapshot().Row(row.ID); !there || !now.Serves() {
			t.Errorf("the old one serves: %v\n%s", now.Serves(), h.story())
		}
		if n := h.count(simulated.Create); n < 3 || n > 7 { // 1 s, 2 s, 4 s, 8 s, …
			t.Errorf("%d creates in 30 s", n)
		}
		lift()
		h.after(40 * time.Second)
		if now := h.row(app); now.ID == row.ID || !now.Serves() {
			t.Errorf("%s serves: %v, want another\n%s", now.ID, now.Serves(), h.story())
		}
		h.wantContainers(app, 1)
	})
}

// The old one dies while its replacement starts: the replacement is an ordinary row then, and no other is made.
func TestOldOneDiesWhileReplaced(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 15 * time.Second}, func(p *pool.Policy) { p.Min = 1 })
		h.after(20 * time.Second)
		row := h.row(app)
		flag(app)
		h.after(3 * time.Second)
		h.must(h.world().RemoveForce(row.Container))
		h.after(40 * time.Second)
		if now := h.row(app); now.State() != pool.Ready || now.Surge {
			t.Errorf("%s, surge %v\n%s", now.State(), now.Surge, h.story())
		}
		h.wantContainers(app, 1)
		if peak := h.world().Peak("hello"); peak > 2 {
			t.Errorf("%d ran at once", peak)
		}
	})
}

// An app that the configuration lost lets nobody in, drains, and leaves no container; one that sleeps, and one whose
// start is in flight, too.
func TestClosedAppDrains(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Drain = 10 * time.Second })
		dozing := h.add("dozing", simulated.Image{}, func(p *pool.Policy) { p.Idle, p.Sleep = time.Second, pool.SleepStop })
		booting := h.add("booting", simulated.Image{Boot: 20 * time.Second}, nil)
		h.warm(dozing)
		h.waits(booting)
		h.after(3 * time.Second)
		lease := h.served(app)
		for _, a := range h.pool.Apps() {
			a.Close()
		}
		h.after(2 * time.Second)
		h.wantStates(app, pool.Draining)
		if a := app.Admit(pool.Visitor{}); a.Outcome != pool.Failed || a.Failure.Reason != "removed" {
			t.Errorf("a visitor is %s", a.Outcome)
		}
		lease.Release()
		h.after(30 * time.Second)
		for _, a := range h.pool.Apps() {
			h.wantStates(a)
			h.wantContainers(a, 0)
		}
	})
}
