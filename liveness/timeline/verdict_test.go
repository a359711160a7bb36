package timeline

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Verdict × session: what becomes of a visitor's session when a pass says so. cases B001, B004
func TestVerdictAndSession(t *testing.T) {
	for _, cell := range []struct {
		name  string
		hand  func(h *house, container string) error
		state pool.State // of the row, -1: reaped
		keeps bool       // the session and its connections go on
		pick  bool       // new visitors are sent there
		words []journal.Word
	}{
		{"running", func(*house, string) error { return nil }, pool.Ready, true, true, nil},
		{"running anew", func(h *house, id string) error { return h.world().Restart(id, 0) }, pool.Ready, false, true,
			[]journal.Word{journal.RestartDetected, journal.ReplicaReadopted}},
		{"stopped", func(h *house, id string) error { return h.world().Stop(id) }, pool.Restarting, false, false,
			[]journal.Word{journal.RestartDetected}},
		{"out of memory", func(h *house, id string) error { return h.world().OOM(id) }, pool.Restarting, false, false,
			[]journal.Word{journal.RestartDetected}},
		{"paused", func(h *house, id string) error { return h.world().Pause(id) }, pool.Ready, true, false, nil},
		{"missing", func(h *house, id string) error { return h.world().RemoveForce(id) }, -1, false, false,
			[]journal.Word{journal.ReplicaReaped}},
		{"unknown", func(h *house, id string) error {
			h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Status500})
			return h.world().RemoveForce(id)
		}, pool.Ready, true, true, nil},
		{"failed call", func(h *house, id string) error {
			h.world().Down(true)
			return nil
		}, pool.Ready, true, true, nil},
	} {
		t.Run(cell.name, func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Sticky = true })
				lease := h.served(app)
				h.must(cell.hand(h, lease.Upstream.Container))
				h.after(11 * time.Second)
				row, there := app.Snapshot().Row(lease.Replica.ID)
				if there != (cell.state >= 0) || there && row.State() != cell.state {
					t.Errorf("the row is there: %v, %s", there, row.State())
				}
				if app.Sessions() == 1 != cell.keeps || lease.Upstream.Alive() != cell.keeps {
					t.Errorf("%d sessions, connections alive: %v, want them kept: %v", app.Sessions(), lease.Upstream.Alive(), cell.keeps)
				}
				if there && row.Serves() != cell.pick {
					t.Errorf("serves new visitors: %v", row.Serves())
				}
				h.wantWords(app, append([]journal.Word{journal.ReplicaStarted}, cell.words...)...)
				h.wantCreates(1)
			})
		})
	}
}

// A paused replica that goes on takes its visitors again, with the sessions they had.
func TestPausedGoesOn(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Sticky = true })
		lease := h.served(app)
		h.must(h.world().Pause(lease.Upstream.Container))
		h.after(10 * time.Minute)
		if row := h.row(app); row.Serves() || row.Suspect() != "paused" {
			t.Errorf("paused and %s, suspect %q", row.State(), row.Suspect())
		}
		h.must(h.world().Unpause(lease.Upstream.Container))
		h.after(2 * time.Second)
		if row := h.row(app); !row.Serves() || app.Sessions() != 1 || !lease.Upstream.Alive() {
			t.Errorf("suspect %q, %d sessions\n%s", row.Suspect(), app.Sessions(), h.story())
		}
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// case B004: one seat, and its container died by itself. Who comes next gets another in the time of a start; the seat of
// the dead one is nobody's.
func TestExitFreesTheSeat(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: time.Second}, func(p *pool.Policy) { p.Seats, p.Sticky = 1, true })
		lease := h.served(app)
		h.must(h.world().RemoveForce(lease.Upstream.Container))
		if h.dial(lease) == nil {
			t.Fatal("a removed container answers")
		}
		lease.Release()
		began := time.Now()
		again := h.served(app)
		if took := time.Since(began); took > 2*time.Second || again.Replica.ID == lease.Replica.ID {
			t.Errorf("served after %s by %s", took, again.Replica.ID)
		}
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// case B002: an address that another container has taken is stale; P5: no dial before a look of the same start.
func TestFreedAddressIsStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		within(t, freedAddress, simulated.NewWorld(simulated.Options{ReuseNewest: true}))
	})
}

func freedAddress(t *testing.T, h *house) {
	app := h.add("hello", simulated.Image{}, nil)
	lease := h.served(app)
	addr := lease.Endpoint(8080).Addr
	h.must(h.world().RemoveForce(lease.Upstream.Container))
	other := h.add("other", simulated.Image{}, nil)
	if row := h.warm(other); row.Upstream().Endpoints[8080].Addr != addr {
		t.Fatal("the address is not the freed one: this test shows nothing")
	}
	h.after(11 * time.Second)
	if lease.Upstream.Alive() {
		t.Error("connections to the address go on")
	}
	h.wantStates(app)
}

// However many requests meet one failure, there is one look, and a passed probe clears it.
func TestFailuresClearByProbe(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Slow, Delay: 50 * time.Millisecond})
		looks := h.count(simulated.Look)
		for range 20 {
			go h.keeper.Failed(t.Context(), lease, simulated.ErrLost)
		}
		h.after(200 * time.Millisecond)
		if !h.row(app).Serves() {
			t.Errorf("a live replica stays suspect\n%s", h.story())
		}
		if n := h.count(simulated.Look) - looks; n > 2 {
			t.Errorf("%d looks for one failure that many met", n)
		}
		h.wantCreates(1)
	})
}

// The first of two accusers leaves. The look that both wait for goes on, and the other one is told nothing before it settles.
func TestAccuserWhoLeavesTakesNoLookAlong(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Slow, Delay: time.Second})
		go h.keeper.LookAt(t.Context(), app, lease.Replica.ID, journal.Pass) // a look that the accusers share
		synctest.Wait()
		leaving, leave := context.WithCancel(t.Context())
		go h.keeper.Failed(leaving, lease, simulated.ErrLost)
		synctest.Wait()
		told := make(chan struct{})
		go func() {
			h.keeper.Failed(t.Context(), lease, simulated.ErrLost)
			close(told)
		}()
		synctest.Wait()
		leave()
		synctest.Wait()
		select {
		case <-told:
			t.Error("told of a look that has not settled")
		default:
		}
		<-told
	})
}

// Requests that fail one after another, as those under way do when their replica dies, share a look of a burst each.
func TestFailuresInARowShareLooks(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Slow, Delay: 2 * time.Millisecond})
		looks := h.count(simulated.Look)
		const failures, apart = 200, 500 * time.Microsecond
		var told sync.WaitGroup
		for range failures {
			told.Go(func() { h.keeper.Failed(t.Context(), lease, simulated.ErrLost) })
			time.Sleep(apart)
		}
		told.Wait()
		// One look at once, then one for each burst of 20 ms.
		if n, most := h.count(simulated.Look)-looks, int(failures*apart/(20*time.Millisecond))+1; n > most {
			t.Errorf("%d looks, and not %d at most, for failures within %s", n, most, failures*apart)
		}
	})
}
