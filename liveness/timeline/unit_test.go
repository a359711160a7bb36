package timeline

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// A visitor starts the unit, and when nobody uses it any more it is stopped: by systemd, which takes the container along.
func TestUnitStartsAndStops(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{Boot: time.Second}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		h.after(30 * time.Second)
		unit.want(t, "", 0)
		h.warm(app)
		unit.want(t, "active", 1)
		h.after(8 * time.Second)
		unit.want(t, "", 1)
		h.wantStates(app)
		h.warm(app)
		unit.want(t, "active", 2)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped, journal.ReplicaStarted)
	})
}

// The same where events make the look faster than systemd's own answer.
func TestUnitStopsWithEvents(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app, unit := h.unit(simulated.Image{}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		unit.lingers = time.Second
		h.warm(app)
		h.after(8 * time.Second)
		unit.want(t, "", 1)
		h.wantStates(app)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped)
	})
}

// systemctl stop by hand leaves no container: the row is reaped, and the next visitor starts the unit.
func TestUnitStoppedByHand(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{}, nil)
		h.warm(app)
		h.must(unit.Stop(t.Context(), unitName))
		h.after(11 * time.Second)
		h.wantStates(app)
		unit.want(t, "", 1)
		h.warm(app)
		unit.want(t, "active", 2)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// P3: what others start is taken in as it is.
func TestUnitStartedByOthers(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{}, func(p *pool.Policy) { p.Idle = 20 * time.Second })
		h.must(unit.Start(t.Context(), unitName))
		h.after(11 * time.Second)
		h.wantStates(app, pool.Ready)
		h.warm(app)
		unit.want(t, "active", 1)
		h.after(30 * time.Second)
		unit.want(t, "", 1)
		h.wantWords(app, journal.ReplicaReadopted, journal.ReplicaStopped)
	})
}

// P2: a restart that systemd makes anyway is waited for, with a visitor or without, and nothing is started beside it.
func TestUnitRestartedBySystemd(t *testing.T) {
	for _, visited := range []bool{true, false} {
		live(t, 1, func(t *testing.T, h *house) {
			app, unit := h.unit(simulated.Image{}, nil)
			unit.restarts = 5 * time.Second
			old := h.warm(app)
			h.must(h.world().RemoveForce(old.Container))
			unit.lives(3 * time.Second)
			if visited {
				h.waits(app)
			}
			unit.lives(20 * time.Second)
			h.wantStates(app, pool.Ready)
			if now := h.row(app); now.Container == old.Container || now.Container != unit.container {
				t.Errorf("the row has %.8s, the unit %.8s", now.Container, unit.container)
			}
			unit.want(t, "active", 2)
		})
	}
}

// systemd may know later than we do that a run is over, and starts nothing until then.
func TestUnitThatEndsUnnoticed(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		app, unit := h.unit(simulated.Image{}, nil)
		unit.late = 500 * time.Millisecond
		old := h.warm(app)
		h.must(h.world().RemoveForce(old.Container))
		h.after(100 * time.Millisecond)
		if now := h.warm(app); now.Container == old.Container {
			t.Error("served by what was removed")
		}
		unit.want(t, "active", 2)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// A container that ends while it boots is followed through the restarts of its unit.
func TestUnitRestartedWhileItBoots(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{Boot: 10 * time.Second}, nil)
		unit.restarts = 20 * time.Second
		h.waits(app)
		h.after(2 * time.Second)
		h.must(h.world().RemoveForce(unit.container))
		unit.lives(40 * time.Second)
		h.wantStates(app, pool.Ready)
		unit.want(t, "active", 2)
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// So are starts that fail, for as long as systemd makes others; but not for ever.
func TestUnitRestartedUntilItStarts(t *testing.T) {
	for fails, want := range map[int]pool.State{2: pool.Ready, 10: 0} {
		live(t, 1, func(t *testing.T, h *house) {
			app, unit := h.unit(simulated.Image{}, nil)
			unit.restarts, unit.fails = 3*time.Second, fails
			h.waits(app)
			unit.lives(14 * time.Second)
			if want == pool.Ready {
				h.wantStates(app, pool.Ready)
				h.wantWords(app, journal.ReplicaStarted)
				return
			}
			if f := app.Snapshot().Failure; f == nil {
				t.Errorf("nobody is told\n%s", h.story())
			}
		})
	}
}

// A unit that fails is a start that failed: its visitors are told, and what there is to read where.
func TestUnitThatFails(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{Boot: 10 * time.Second}, nil)
		h.waits(app)
		h.after(2 * time.Second)
		h.must(h.world().Exit(unit.container, 3))
		h.after(2500 * time.Millisecond)
		f := app.Snapshot().Failure
		if f == nil || !strings.Contains(f.Detail, "journalctl --user -u "+unitName) {
			t.Fatalf("got %+v\n%s", f, h.story())
		}
		h.after(time.Minute)
		h.warm(app)
		unit.want(t, "active", 2)
	})
}

// The same where the container is gone before anybody could see how it ended: that is nobody's interruption.
func TestUnitThatFailsUnseen(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{Boot: 10 * time.Second}, nil)
		h.waits(app)
		h.after(2 * time.Second)
		h.must(h.world().RemoveForce(unit.container))
		h.after(2500 * time.Millisecond)
		if f := app.Snapshot().Failure; f == nil || f.Tries != 1 || !strings.Contains(f.Detail, "journalctl --user -u "+unitName) {
			t.Fatalf("got %+v\n%s", f, h.story())
		}
	})
}

// One that is never ready is stopped, as any start that failed.
func TestUnitThatIsNeverReady(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{Boot: time.Hour}, func(p *pool.Policy) { p.Ready.Timeout = 20 * time.Second })
		h.waits(app)
		h.after(25 * time.Second)
		unit.want(t, "", 1)
		h.wantStates(app)
		h.wantWords(app, journal.StartFailed, journal.ReplicaStopped)
	})
}

// P1: that systemd says nothing ends no container. One that could not be stopped serves on, and is stopped later.
func TestUnitThatCannotBeStopped(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		row := h.warm(app)
		unit.breaks(errors.New("no bus"))
		h.after(15 * time.Second)
		if now := h.warm(app); now.Container != row.Container {
			t.Errorf("served by %.8s, want %.8s", now.Container, row.Container)
		}
		unit.want(t, "active", 1)
		unit.breaks(nil)
		h.after(15 * time.Second)
		unit.want(t, "", 1)
		h.wantStates(app)
	})
}

// Without a systemd the start fails at once, and says so.
func TestUnitWithoutSystemd(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, _ := h.unit(simulated.Image{}, nil)
		h.hosts[0].Units = nil
		a := h.visit(app, pool.Visitor{})
		if a.Outcome != pool.Failed || !strings.Contains(a.Failure.Detail, runtime.ErrNoUnits.Error()) {
			t.Errorf("got %s %+v", a.Outcome, a.Failure)
		}
	})
}

// A unit whose container carries no label, or runs on another engine, is told as that.
func TestUnitWithoutContainer(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{}, nil)
		h.hosts[0].Units = elsewhere{}
		a := h.visit(app, pool.Visitor{})
		if a.Outcome != pool.Failed || !strings.Contains(a.Failure.Detail, "PODMAN_SYSTEMD_UNIT="+unitName) {
			t.Errorf("got %s %+v", a.Outcome, a.Failure)
		}
		h.hosts[0].Units = unit
		h.after(2 * time.Second)
		h.warm(app)
	})
}

// elsewhere has units that are always active.
type elsewhere struct{}

func (elsewhere) Start(context.Context, string) error          { return nil }
func (elsewhere) Stop(context.Context, string) error           { return nil }
func (elsewhere) Active(context.Context, string) (bool, error) { return true, nil }

// A unit of `podman start` keeps its container: it sleeps, and is woken through the unit all the same.
func TestUnitThatKeepsItsContainer(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app, unit := h.unit(simulated.Image{}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		unit.keeps = true
		row := h.warm(app)
		h.after(8 * time.Second)
		unit.want(t, "", 1)
		h.wantStates(app, pool.Asleep)
		if again := h.warm(app); again.Container != row.Container || again.ID != row.ID {
			t.Errorf("served by %.8s, want %.8s", again.Container, row.Container)
		}
		unit.want(t, "active", 2)
		h.must(unit.Stop(t.Context(), unitName)) // by hand, with somebody who waits: it is started through systemd again
		h.after(11 * time.Second)
		h.warm(app)
		unit.want(t, "active", 3)
	})
}
