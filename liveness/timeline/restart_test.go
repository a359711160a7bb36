package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Running, stopped, running: one id is readopted once, with one probe and no create. P3. Nobody tells of it, and a pass
// finds out (case B029).
func TestStoppedAndBack(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 3 * time.Second}, nil)
		row := h.warm(app)
		h.must(h.world().Stop(row.Container))
		h.after(11 * time.Second)
		h.wantStates(app, pool.Restarting)
		h.must(h.world().Start(row.Container))
		h.after(2 * time.Second)
		h.wantStates(app, pool.Restarting) // it boots still
		h.after(10 * time.Second)
		if now := h.row(app); now.ID != row.ID || now.Container != row.Container || now.Start() == row.Start() {
			t.Errorf("the row is %+v, want the same container in another start", now)
		}
		h.wantCreates(1)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.ReplicaReadopted)
	})
}

// A restart between two passes is seen by its other start.
func TestRestartBetweenPasses(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Sticky = true })
		lease := h.served(app)
		before := h.row(app)
		h.must(h.world().Restart(before.Container, 0))
		h.after(11 * time.Second)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.ReplicaReadopted)
		h.wantCreates(1)
		if now := h.row(app); now.Start() == before.Start() || now.State() != pool.Ready {
			t.Errorf("the row is %s in start %s", now.State(), now.Start())
		}
		if app.Sessions() != 0 || lease.Upstream.Alive() {
			t.Error("sessions and connections of the old start go on")
		}
	})
}

// Past the window there is one replacement. With nobody waiting and min 0 there is none.
func TestPastTheWindow(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.must(h.world().Stop(row.Container))
		h.after(38 * time.Second) // a pass sees it within 10 s at most; the window is 30 s
		h.after(5 * time.Second)
		h.wantStates(app)
		h.wantContainers(app, 0)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.RestartTimedOut, journal.ReplicaReaped)
		h.wantCreates(1)
		if again := h.warm(app); again.ID == row.ID {
			t.Error("the replacement has the old replica's name")
		}
		h.wantCreates(2)
	})
}

// Stopped from outside with min 1: the same container is started again by us after 2 s.
func TestStartedAgainByUs(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		h.must(h.world().Stop(row.Container))
		h.after(14 * time.Second)
		if now := h.row(app); now.Container != row.Container || now.State() != pool.Ready {
			t.Errorf("the row is %s with container %.8s, want %.8s ready\n%s", now.State(), now.Container, row.Container, h.story())
		}
		h.wantCreates(1)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.ReplicaReadopted)
	})
}

// A visitor waits for a stopped container: it is started again, too, and at most 2 s and an attention late.
func TestVisitorStartsItAgain(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		lease := h.served(app)
		h.must(h.world().Stop(row.Container))
		if err := h.dial(lease); err == nil {
			t.Fatal("a stopped container answers")
		}
		lease.Release()
		began := time.Now()
		h.warm(app)
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("served after %s", took)
		}
		h.wantCreates(1)
		h.wantContainers(app, 1)
	})
}

// It comes back by itself while somebody waits: he is not kept waiting until the next pass, nor for a second.
func TestAttentionWhileSomebodyWaits(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.must(h.world().Stop(lease.Upstream.Container))
		if err := h.dial(lease); err == nil {
			t.Fatal("a stopped container answers")
		}
		var back time.Time
		time.AfterFunc(1350*time.Millisecond, func() {
			back = time.Now()
			h.must(h.world().Start(lease.Upstream.Container))
		})
		h.warm(app)
		if took := time.Since(back); took > 300*time.Millisecond {
			t.Errorf("served %s after it came back", took)
		}
	})
}

// What crashes in service and is not wanted again goes past the window, and what it said last is kept for whoever asks why.
func TestLastWordsPastTheWindow(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Crashes: true, CrashAfter: 2 * time.Second, ExitCode: 3, CrashLog: "no database\n"}, nil)
		h.warm(app)
		h.after(45 * time.Second)
		h.wantContainers(app, 0)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.RestartTimedOut, journal.ReplicaReaped)
		if kept := h.scaler.Previous.Of("hello"); !strings.Contains(kept, "no database") {
			t.Errorf("the output kept is %q", kept)
		}
	})
}

// One whose start fails: past the window it is removed and replaced.
func TestStartAgainFails(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		h.engine().Fault(simulated.Fault{On: simulated.Start, Container: row.Container, Kind: simulated.Status500})
		h.must(h.world().Stop(row.Container))
		h.after(45 * time.Second)
		now := h.row(app)
		if now.ID == row.ID || now.State() != pool.Ready {
			t.Errorf("the row is %s %s, want another, ready\n%s", now.ID, now.State(), h.story())
		}
		h.wantContainers(app, 1)
		h.wantWords(app, journal.ReplicaStarted, journal.RestartDetected, journal.RestartTimedOut, journal.ReplicaReaped,
			journal.ReplicaStarted)
		if n := h.engine().Count(simulated.Start); n > 2+6 {
			t.Errorf("%d starts were asked for", n)
		}
	})
}

// Past the window the container runs by then: the removal is refused, which is a new look.
func TestRefusedRemoval(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		row := h.warm(app)
		h.must(h.world().Stop(row.Container))
		h.engine().Fault(simulated.Fault{On: simulated.Remove, Kind: simulated.Slow, Delay: 3 * time.Second})
		h.after(33 * time.Second)
		for h.engine().Count(simulated.Remove) == 0 {
			h.after(100 * time.Millisecond)
		}
		h.must(h.world().Start(row.Container))
		h.after(10 * time.Second)
		if now := h.row(app); now.ID != row.ID || now.State() != pool.Ready {
			t.Errorf("the row is %s %s\n%s", now.ID, now.State(), h.story())
		}
		h.wantContainers(app, 1)
	})
}

// An app that ends as soon as it is ready is started again ever more slowly; one start that lasts makes up for all.
func TestFlappingIsStartedEverMoreSlowly(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		container := h.row(app).Container
		down := func() (lasted time.Duration) {
			h.must(h.world().Stop(container))
			began := time.Now()
			h.after(100 * time.Millisecond)
			h.wantStates(app, pool.Restarting)
			for h.row(app).State() != pool.Ready {
				h.after(100 * time.Millisecond)
			}
			return time.Since(began)
		}
		last := time.Duration(0)
		for range 4 {
			lasted := down()
			if lasted < 2*time.Second || lasted < last*3/2 {
				t.Errorf("down for %s, and the time before for %s", lasted, last)
			}
			last = lasted
			h.after(time.Second)
		}
		if last > 20*time.Second {
			t.Errorf("down for %s: the window would have ended", last)
		}
		h.after(time.Minute)
		if lasted := down(); lasted > 4*time.Second {
			t.Errorf("down for %s after a start that lasted", lasted)
		}
		h.wantCreates(1)
	})
}
