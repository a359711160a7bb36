package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// cases B053, B068: the idle time is shorter than the start, and the visitor looks in every 5 s only. He gets in on the
// first try after readiness.
func TestYoungReplicaIsNotIdle(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 7 * time.Second}, func(p *pool.Policy) { p.Idle = 2 * time.Second })
		var ticket pool.Ticket
		for try := range 3 {
			page, cancel := h.page()
			a := app.Await(page, pool.Visitor{Ticket: ticket})
			cancel()
			if a.Outcome == pool.Served {
				if try != 2 {
					t.Errorf("served on try %d", try)
				}
				h.wantCreates(1)
				return
			}
			ticket = a.Ticket
			h.after(4 * time.Second)
		}
		t.Errorf("never served\n%s", h.story())
	})
}

// Idle: down to nothing, by the policy's sleep, and back in.
func TestSleepAndWake(t *testing.T) {
	for _, mode := range []struct {
		sleep   pool.SleepMode
		rows    []pool.State
		status  runtime.Status // of the container; empty: gone
		creates int
	}{
		{pool.SleepRemove, nil, "", 2},
		{pool.SleepStop, []pool.State{pool.Asleep}, runtime.StatusExited, 1},
		{pool.SleepPause, []pool.State{pool.Asleep}, runtime.StatusPaused, 1},
	} {
		t.Run(mode.sleep.String(), func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				app := h.add("hello", simulated.Image{StopTime: time.Second}, func(p *pool.Policy) {
					p.Idle, p.Sleep = 5*time.Second, mode.sleep
				})
				row := h.warm(app)
				h.after(8 * time.Second)
				h.wantStates(app, mode.rows...)
				if c, _ := h.world().Container(row.Container); c.Status != mode.status {
					t.Errorf("the container is %q, want %q", c.Status, mode.status)
				}
				h.after(10 * time.Minute) // sleep is no failure, and nothing times out
				h.wantStates(app, mode.rows...)
				h.warm(app)
				h.wantCreates(mode.creates)
				h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped, journal.ReplicaStarted)
			})
		})
	}
}

// An engine that cannot pause stops instead.
func TestPauseUnsupported(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle, p.Sleep = 5*time.Second, pool.SleepPause })
		h.engine().Fault(simulated.Fault{On: simulated.Pause, Kind: simulated.Status500, Err: runtime.ErrUnsupported})
		row := h.warm(app)
		h.after(8 * time.Second)
		h.wantStates(app, pool.Asleep)
		if c, _ := h.world().Container(row.Container); c.Status != runtime.StatusExited {
			t.Errorf("the container is %s", c.Status)
		}
	})
}

// It ends by itself at the moment when it is to be paused: that is sleep, too, and no endless try.
func TestPauseOfWhatHasEnded(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle, p.Sleep = 5*time.Second, pool.SleepPause })
		row := h.warm(app)
		h.engine().Fault(simulated.Fault{On: simulated.Pause, Kind: simulated.Slow, Delay: time.Second})
		for h.count(simulated.Pause) == 0 {
			h.after(100 * time.Millisecond)
		}
		h.must(h.world().Exit(row.Container, 0))
		h.after(2 * time.Second)
		h.wantStates(app, pool.Asleep)
		h.warm(app)
		h.wantCreates(1)
	})
}

// An image's own volume: what would lose data sleeps, and a wake that fails puts it back to sleep.
func TestDataIsKept(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Volumes: []string{"/data"}}, func(p *pool.Policy) {
			p.Idle, p.KeepData = 5*time.Second, true
		})
		row := h.warm(app)
		h.after(8 * time.Second)
		h.wantStates(app, pool.Asleep)
		lift := h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500})
		if a := h.visit(app, pool.Visitor{}); a.Outcome != pool.Failed {
			t.Fatalf("a visitor is %s", a.Outcome)
		}
		lift()
		h.after(5 * time.Second)
		h.wantStates(app, pool.Asleep)
		if again := h.warm(app); again.Container != row.Container || app.Snapshot().Failure != nil {
			t.Errorf("woken: %.8s, want %.8s; failure %+v", again.Container, row.Container, app.Snapshot().Failure)
		}
		h.wantCreates(1)
		if n := h.world().DanglingVolumes(); n != 0 || len(h.world().Volumes(row.Container)) != 1 {
			t.Errorf("%d volumes dangle, the container has %v", n, h.world().Volumes(row.Container))
		}
	})
}

// Stopped from outside, nobody waits, and data would go: past the window it sleeps.
func TestDataIsKeptPastTheWindow(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Volumes: []string{"/data"}}, func(p *pool.Policy) { p.KeepData = true })
		row := h.warm(app)
		h.must(h.world().Stop(row.Container))
		h.after(45 * time.Second)
		h.wantStates(app, pool.Asleep)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.RestartTimedOut)
		h.warm(app)
		h.wantCreates(1)
	})
}

// A removal takes the anonymous volumes along.
func TestRemovalTakesVolumesAlong(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Volumes: []string{"/cache"}}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		h.warm(app)
		h.after(8 * time.Second)
		h.wantContainers(app, 0)
		if n := h.world().DanglingVolumes(); n > 0 {
			t.Errorf("%d volumes dangle", n)
		}
	})
}

// case B065: a visitor at the very moment of the idle stop. He is served, by what is left or by what comes after.
func TestVisitorAtTheMomentOfIdleStop(t *testing.T) {
	for _, mode := range []pool.SleepMode{pool.SleepRemove, pool.SleepStop, pool.SleepPause} {
		t.Run(mode.String(), func(t *testing.T) {
			for offset := -3 * time.Millisecond; offset <= 1100*time.Millisecond; offset += 7 * time.Millisecond {
				live(t, 1, func(t *testing.T, h *house) {
					app := h.add("hello", simulated.Image{StopTime: 300 * time.Millisecond, StartTime: 50 * time.Millisecond},
						func(p *pool.Policy) { p.Idle, p.Sleep = 5*time.Second, mode })
					h.warm(app)
					h.after(5*time.Second + offset)
					lease := h.served(app)
					if err := h.dial(lease); err != nil {
						t.Errorf("%s after the idle time: %v", offset, err)
					}
					h.after(2 * time.Second)
					if !lease.Upstream.Alive() {
						t.Errorf("%s after the idle time: served, then stopped under the visitor", offset)
					}
				})
			}
		})
	}
}

// case B206: Fairlead itself is stopped for a minute. Nobody's idle time passes before he had a moment to say so.
func TestStoppedOurselves(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle = 10 * time.Second })
		h.warm(app)
		h.freeze(app, time.Minute)
		h.after(500 * time.Millisecond)
		h.wantStates(app, pool.Ready)
		h.warm(app) // the request that was queued meanwhile
		h.after(9 * time.Second)
		h.wantStates(app, pool.Ready)
		h.after(3 * time.Second)
		h.wantStates(app)
	})
}

// A session that was silent for its time ends by the clock alone, and with it what keeps the replica awake.
func TestSilentSessionEnds(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) {
			p.Sticky, p.SessionIdle, p.Idle = true, 10*time.Second, 5*time.Second
		})
		h.warm(app)
		h.after(9 * time.Second)
		if app.Sessions() != 1 {
			t.Error("the session ended before its time")
		}
		h.after(3 * time.Second)
		if app.Sessions() != 0 {
			t.Error("the session goes on")
		}
		h.wantStates(app, pool.Ready)
		h.after(6 * time.Second)
		h.wantStates(app)
	})
}
