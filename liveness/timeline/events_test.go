package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// follow listens to the events of all hosts, as the daemon does for those that are connected.
func (h *house) follow() {
	for _, host := range h.hosts {
		h.loops.Go(func() { h.keeper.Follow(h.ctx, host.Name) })
	}
	h.after(0)
}

// A death takes the replica out of the pick at once, and what follows is for the look: reaped and replaced in a moment.
func TestDeathByEvent(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		h.must(h.world().RemoveForce(row.Container))
		h.after(100 * time.Millisecond)
		if now := h.row(app); now.ID == row.ID || !now.Serves() {
			t.Errorf("%s serves: %v\n%s", now.ID, now.Serves(), h.story())
		}
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// The engine says of a killed container for half a second that it runs. It is out of the pick all the while.
func TestEngineThatNoticesLate(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.engine().Fault(simulated.Fault{Kind: simulated.LateDeath, Delay: 500 * time.Millisecond})
		h.must(h.world().Kill(row.Container))
		for range 10 {
			h.after(40 * time.Millisecond)
			if now := h.row(app); now.Serves() {
				t.Fatalf("in the pick though dead\n%s", h.story())
			}
		}
		h.after(2 * time.Second)
		h.wantStates(app, pool.Restarting)
	})
}

// A restart from outside is over in a moment, and told in the same words.
func TestRestartByEvents(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{Boot: time.Second}, nil)
		row := h.warm(app)
		h.must(h.world().Restart(row.Container, 500*time.Millisecond))
		h.after(2 * time.Second)
		if now := h.row(app); now.Container != row.Container || !now.Serves() {
			t.Errorf("serves: %v\n%s", now.Serves(), h.story())
		}
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.ReplicaReadopted)
		h.wantCreates(1)
	})
}

// Lost events cost no more than a pass; late ones say nothing against what has come meanwhile.
func TestLostAndLateEvents(t *testing.T) {
	for _, kind := range []simulated.Trouble{simulated.LostEvent, simulated.LateEvent} {
		t.Run(kind.String(), func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				h.follow()
				app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
				h.after(time.Second)
				row := h.row(app)
				h.engine().Fault(simulated.Fault{Kind: kind, Delay: 14 * time.Second})
				h.must(h.world().Restart(row.Container, 0))
				h.after(11 * time.Second)
				h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.ReplicaReadopted)
				h.after(10 * time.Second) // the late ones arrive
				if now := h.row(app); now.Container != row.Container || !now.Serves() {
					t.Errorf("serves: %v\n%s", now.Serves(), h.story())
				}
				h.wantCreates(1)
			})
		})
	}
}

// case B023: a broken stream is connected again, and what was missed in between is looked for.
func TestStreamBreaks(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.after(time.Second)
		lift := h.engine().Fault(simulated.Fault{On: simulated.Events, Kind: simulated.Refused})
		h.engine().CutEvents()
		h.after(50 * time.Millisecond)
		h.must(h.world().RemoveForce(row.Container))
		lift()
		h.after(time.Second)
		h.wantStates(app)
	})
}

// case B025: an engine that goes down is known as that when its stream ends and no other can be opened, not by the next
// pass, and one that is back soon after it is, however long it was away.
func TestEngineGoesDown(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		h.after(time.Second) // after a pass, and long before the next
		for _, away := range []time.Duration{time.Second, time.Hour} {
			h.engine().Fault(simulated.Fault{Kind: simulated.Refused})
			h.engine().CutEvents()
			h.after(300 * time.Millisecond)
			if h.views()[0].Answers {
				t.Errorf("down, and not known\n%s", h.story())
			}
			h.after(away)
			h.engine().Heal()
			h.after(4 * time.Second)
			if !h.views()[0].Answers {
				t.Errorf("back after %s, and not known\n%s", away, h.story())
			}
			h.after(30 * time.Second)
		}
	})
}

// What happened before the first connection is in no stream: every connection begins with a look.
func TestStreamConnectsLate(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		lift := h.engine().Fault(simulated.Fault{On: simulated.Events, Kind: simulated.Refused})
		h.follow()
		h.must(h.world().RemoveForce(row.Container))
		h.after(time.Second)
		h.wantStates(app, pool.Ready)
		lift()
		h.after(4 * time.Second)
		h.wantStates(app)
	})
}

// case B034: Podman tells of every health check, whatever came of it. That is no news of the container.
func TestHealthEventsCauseNothing(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 20, 20 })
		h.after(11 * time.Second)
		h.engine().ResetCalls()
		for range 8 { // until the next pass
			for _, row := range app.Snapshot().Rows {
				h.must(h.world().SetHealth(row.Container, "healthy"))
			}
			h.after(time.Second)
		}
		if n := h.count(simulated.Inspect, simulated.Look); n > 1 {
			t.Errorf("%d looks\n%s", n, h.story())
		}
	})
}

// Following, and a burst of looks, ends with Run.
func TestFollowingEnds(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.engine().Fault(simulated.Fault{On: simulated.Look, Kind: simulated.Hang})
		h.must(h.world().Kill(row.Container))
		h.after(10 * time.Millisecond)
		began := time.Now()
		h.kill()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %s", took)
		}
	})
}

// Two containers of a stranger that start and die all the time cause no listing each.
func TestStrangersEventsAreBounded(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		h.world().SetImage("localhost/stranger:latest", simulated.Image{})
		spec := specOf("stranger", "s", h.hosts[0].Reach)
		spec.Labels = nil
		id, err := h.world().Run(spec)
		h.must(err)
		h.engine().ResetCalls()
		for range 200 {
			h.must(h.world().Restart(id, 0))
			h.after(50 * time.Millisecond)
		}
		if n := h.count(simulated.List); n > 14 {
			t.Errorf("%d listings in 10 s", n)
		}
	})
}
