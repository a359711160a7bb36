package timeline

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// P1, P8: whatever goes wrong with the engine for two minutes, nothing is pruned, nothing is duplicated, and who is
// served is served on. case B005
func TestNothingIsConcludedFromTrouble(t *testing.T) {
	for _, kind := range []simulated.Trouble{simulated.Status500, simulated.Refused, simulated.NotFound, simulated.Hang,
		simulated.Garbage, simulated.LostReply, simulated.Omit, simulated.Swapped} {
		for _, on := range []simulated.Op{simulated.Any, simulated.Identity, simulated.List, simulated.Inspect, simulated.Look} {
			if kind == simulated.NotFound && on == simulated.Any {
				continue // every call is a 404: see TestUntrueAbsence
			}
			t.Run(fmt.Sprintf("%s on %s", kind, on), func(t *testing.T) {
				live(t, 1, func(t *testing.T, h *house) { troubled(t, h, simulated.Fault{On: on, Kind: kind}) })
			})
		}
	}
}

func troubled(t *testing.T, h *house, fault simulated.Fault) {
	app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max, p.Sticky = 2, 4, true })
	h.add("other", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 }) // whom a Swapped inspect shows
	h.after(time.Second)
	lease := h.served(app)
	before := fmt.Sprint(h.all(app))
	h.engine().Fault(fault)
	for range 12 {
		h.after(10 * time.Second)
		if again := h.visit(app, pool.Visitor{Session: lease.Session.ID}); again.Outcome != pool.Served {
			t.Fatalf("%s during %s: the engine's trouble became the visitor's\n%s", again.Outcome, fault.Kind, h.story())
		} else {
			again.Lease.Release()
		}
	}
	h.engine().Heal()
	h.after(15 * time.Second)
	h.wantStates(app, pool.Ready, pool.Ready)
	if after := fmt.Sprint(h.all(app)); after != before {
		t.Errorf("containers were\n%s, are\n%s\n%s", before, after, h.story())
	}
	h.wantCreates(3)
	h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStarted)
}

// P1: a 404 is an absence only together with the listing and the identity. Each alone, and any two of them, are not.
func TestUntrueAbsence(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.NotFound})
		h.after(time.Minute)
		h.wantStates(app, pool.Ready)
		h.engine().Heal()
		h.engine().Fault(simulated.Fault{On: simulated.List, Kind: simulated.Omit})
		h.after(time.Minute)
		h.wantStates(app, pool.Ready)
		h.wantCreates(1)
	})
}

// P1: another engine behind the same address says nothing about the first one's containers, whatever it lists.
func TestAnotherEngineBehindTheAddress(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Drain = 1, time.Second })
		gone := h.add("gone", simulated.Image{StopTime: 3 * time.Second}, nil)
		h.warm(gone)
		h.after(time.Second)
		first := h.world()
		gone.Close() // it drains when the engine is exchanged: a 404 to its stop is no news either
		other := simulated.NewWorld(simulated.Options{Seed: 7})
		h.engine().Swap(other)
		h.after(2 * time.Minute)
		h.wantStates(app, pool.Ready)
		h.wantStates(gone, pool.Draining)
		if row := h.row(app); !row.Doubt || !row.Serves() {
			t.Errorf("doubt %v, serves %v", row.Doubt, row.Serves())
		}
		h.engine().Swap(first)
		h.after(time.Minute)
		h.wantStates(app, pool.Ready)
		h.wantStates(gone)
		h.wantCreates(2)
		if n := len(first.All()); n != 1 {
			t.Errorf("%d containers are left, want 1", n)
		}
	})
}

// The same engine under a new identity lists what it had: it is learned, and its rows are as good as before.
func TestNewIdentityIsLearned(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.world().SetIdentity("another")
		h.after(11 * time.Second)
		if now := h.row(app); now.Identity != "another" || now.Doubt {
			t.Errorf("identity %q, doubt %v", now.Identity, now.Doubt)
		}
		h.must(h.world().RemoveForce(row.Container))
		h.after(11 * time.Second)
		h.wantStates(app)
	})
}

// Unknown blocks a create: the replica is dead, its engine does not say so, and max is reached.
func TestUnknownBlocksACreate(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{On: simulated.Look, Kind: simulated.Hang})
		h.must(h.world().RemoveForce(lease.Upstream.Container))
		if h.dial(lease) == nil {
			t.Fatal("a removed container answers")
		}
		if a := h.visit(app, pool.Visitor{}); a.Outcome != pool.Wait {
			t.Errorf("a visitor is %s", a.Outcome)
		}
		h.wantCreates(1)
		h.engine().Heal()
		h.after(5 * time.Second)
		h.wantStates(app, pool.Ready)
		h.wantCreates(2)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// P8: a failure is reported, the engine is silent, the app answers: its own answer is all there is, and enough.
func TestSilentEngineLiveApp(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{Kind: simulated.Refused})
		h.keeper.Failed(t.Context(), lease, simulated.ErrLost)
		h.after(time.Second)
		if !h.row(app).Serves() {
			t.Errorf("out of the pick\n%s", h.story())
		}
	})
}

// A silent host is told once, and its return once; and it is knocked at as one, not row by row.
func TestSilentHostIsToldOnce(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 20, 20 })
		h.after(time.Second)
		for _, row := range app.Snapshot().Rows {
			h.must(h.world().Stop(row.Container))
		}
		h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500})
		h.after(11 * time.Second) // 20 rows that need attention
		h.world().Down(true)
		h.after(10 * time.Second)
		h.engine().ResetCalls()
		h.after(time.Minute)
		if n := h.engine().Count(simulated.Look); n > 60 {
			t.Errorf("%d looks in a minute at an engine that is down", n)
		}
		h.world().Up()
		h.after(3 * time.Second)
		events, _ := h.journal.Since(0)
		var told []journal.Word
		for _, e := range events {
			if e.Host == "h0" && e.App == "" {
				told = append(told, e.Word)
			}
		}
		if len(told) != 2 || told[0] != journal.HostUnknown || told[1] != journal.HostRecovered {
			t.Errorf("told: %v", told)
		}
	})
}

// Who waits for a replica of a silent host waits for hardly longer than the host is silent.
func TestSilentHostIsWaitedFor(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		for n := range 4 { // whenever the host is back between two ordinary knocks
			lease := h.served(app)
			lease.Release()
			h.engine().Fault(simulated.Fault{Kind: simulated.Refused})
			h.must(h.world().RemoveForce(row.Container))
			if h.dial(lease) == nil {
				t.Fatal("it can be dialled")
			}
			h.waits(app)
			h.after(15*time.Second + time.Duration(n)*500*time.Millisecond)
			h.engine().Heal()
			h.after(time.Second)
			if row = h.row(app); !row.Serves() {
				t.Fatalf("the visitor waits\n%s", h.story())
			}
		}
	})
}

// A look that was asked for earlier and comes back later says nothing any more, even if the later one changed nothing.
func TestOvertakenLook(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.must(h.world().Pause(row.Container))
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.LateReply, Delay: 1500 * time.Millisecond, Times: 1})
		go h.keeper.LookOver(h.ctx, "h0", journal.Pass)
		h.after(time.Millisecond)
		h.must(h.world().Unpause(row.Container))
		h.keeper.LookAt(h.ctx, app, row.ID, journal.Transport)
		before := h.row(app).Version
		h.after(1500 * time.Millisecond)
		if now := h.row(app); now.Version != before || !now.Serves() {
			t.Errorf("version %d became %d, suspect: %q", before, now.Version, now.Suspect())
		}
	})
}

// The same for a whole host: a look that hung tells nothing about a host that has answered since.
func TestOvertakenSilence(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.engine().Fault(simulated.Fault{On: simulated.Look, Kind: simulated.Hang, Times: 1})
		go h.keeper.LookOver(h.ctx, "h0", journal.Pass)
		h.after(time.Millisecond)
		h.keeper.LookOver(h.ctx, "h0", journal.Pass)
		h.after(5 * time.Second)
		if s := h.keeper.Hosts()[0]; !s.Answers {
			t.Errorf("the host is told silent: %s", s.Error)
		}
		if events, _ := h.journal.Since(0); len(events) > 0 {
			t.Errorf("told: %v", events[0].Word)
		}
	})
}

// A start whose reply is lost while the engine falls silent waits for the engine, not for the next try.
func TestSilenceDuringStart(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{StartTime: 2 * time.Second}, nil)
		h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.LostReply})
		h.waits(app)
		h.after(time.Second)
		h.world().Down(true)
		h.after(30 * time.Second)
		h.wantStates(app, pool.Starting)
		h.world().Up()
		h.after(11 * time.Second)
		h.wantStates(app, pool.Ready)
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// The window stands still while the host is silent.
func TestWindowStandsStill(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.must(h.world().Stop(row.Container))
		h.after(15 * time.Second)
		h.world().Down(true)
		h.after(10 * time.Minute)
		h.world().Up()
		synctest.Wait()
		h.after(5 * time.Second)
		h.wantStates(app, pool.Restarting)
		h.must(h.world().Start(row.Container))
		h.after(5 * time.Second)
		h.wantStates(app, pool.Ready)
	})
}
