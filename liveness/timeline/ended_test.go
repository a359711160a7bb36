package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// P5: the end of all pooled connections takes a replica out of the pick before any engine has said a word.
func TestDeathByConnections(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		h.must(h.world().RemoveForce(row.Container))
		lift := h.engine().Fault(simulated.Fault{On: simulated.Look, Kind: simulated.Hang})
		h.keeper.Ended(app, row.Upstream())
		if now := h.row(app); now.Serves() {
			t.Errorf("still in the pick\n%s", h.story())
		}
		lift()
		h.after(100 * time.Millisecond)
		if now := h.row(app); now.ID == row.ID || !now.Serves() {
			t.Errorf("%s serves: %v\n%s", now.ID, now.Serves(), h.story())
		}
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// An app that merely closed its idle connections costs a look and a probe: nobody is told anything.
func TestFalseAlarmOfConnections(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		looks := h.count(simulated.Look)
		h.keeper.Ended(app, row.Upstream())
		began := time.Now()
		h.served(app).Release()
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("a visitor waited for %s\n%s", took, h.story())
		}
		if now := h.row(app); now.Upstream() != row.Upstream() || !now.Serves() {
			t.Errorf("serves: %v\n%s", now.Serves(), h.story())
		}
		if n := h.count(simulated.Look) - looks; n != 1 {
			t.Errorf("%d looks", n)
		}
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// P8: with the engine silent, the app's own answer clears it.
func TestFalseAlarmWithASilentEngine(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.engine().Fault(simulated.Fault{Kind: simulated.Refused})
		h.keeper.Ended(app, row.Upstream())
		h.after(time.Second)
		if now := h.row(app); !now.Serves() {
			t.Errorf("not in the pick\n%s", h.story())
		}
	})
}

// What is told of a start that is over says nothing against the present one.
func TestLateNewsOfConnections(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.must(h.world().Restart(row.Container, 0))
		h.after(11 * time.Second)
		h.keeper.Ended(app, row.Upstream())
		if now := h.row(app); !now.Serves() {
			t.Errorf("not in the pick\n%s", h.story())
		}
	})
}

// A look that was under way when the connections ended is not the last: it may have seen the container alive.
func TestLookUnderWayIsNotEnough(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.LateReply, Delay: 300 * time.Millisecond, Times: 1})
		go h.keeper.LookAt(h.ctx, app, row.ID, journal.Pass)
		h.after(10 * time.Millisecond)
		h.must(h.world().RemoveForce(row.Container))
		h.keeper.Ended(app, row.Upstream())
		h.after(310 * time.Millisecond)
		h.wantStates(app)
	})
}
