package timeline

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// foreign runs a container as an operator would who copied everything from one of ours.
func (h *house) foreign(app, replica string, edit func(*runtime.Spec)) (id string) {
	h.t.Helper()
	spec := specOf(app, replica, h.hosts[0].Reach)
	if edit != nil {
		edit(&spec)
	}
	id, err := h.world().Run(spec)
	h.must(err)
	return id
}

// P3: a running container of ours that is not in the pool is readopted once, after the check that a spawn gets.
func TestReadoptedOnce(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 25 * time.Second}, nil)
		h.foreign("hello", "old", nil)
		h.after(12 * time.Second)
		h.wantStates(app, pool.Starting)
		h.after(20 * time.Second)
		h.wantStates(app, pool.Ready)
		h.after(time.Minute)
		h.wantCreates(0)
		h.wantWords(app, journal.ReplicaReadopted)
	})
}

// P3: above max a surplus is stopped and removed, and it never takes a visitor.
func TestSurplusIsRemoved(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.after(time.Second)
		row := h.row(app)
		h.foreign("hello", "more", nil)
		h.foreign("hello", "evenmore", nil)
		h.after(11 * time.Second)
		h.wantStates(app, pool.Ready)
		if now := h.row(app); now.Container != row.Container {
			t.Error("the one that served was the surplus")
		}
		h.wantContainers(app, 1)
		h.wantWords(app, journal.ReplicaStarted, journal.SurplusRemoved, journal.SurplusRemoved)
	})
}

// P2: what others start counts: with the pool full of it, nothing is created.
func TestDiscoveredCountsAgainstMax(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 20 * time.Second}, nil)
		h.foreign("hello", "old", nil)
		h.after(11 * time.Second)
		h.warm(app)
		h.wantCreates(0)
		h.wantContainers(app, 1)
	})
}

// One that is adopted and never becomes ready ends as a start that failed; it must not hold the only slot for ever.
func TestAdoptedAndNeverReady(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 24 * time.Hour}, nil)
		id := h.foreign("hello", "old", nil)
		h.after(11 * time.Second)
		h.wantStates(app, pool.Starting)
		h.world().SetImage(image("hello"), simulated.Image{})
		h.after(65 * time.Second)
		if _, there := h.world().Container(id); there {
			t.Error("it is still there")
		}
		h.warm(app)
		h.wantWords(app, journal.StartFailed, journal.ReplicaStopped, journal.ReplicaStarted)
	})
}

// The same with data: it is stopped and kept, and the next visitor wakes it.
func TestAdoptedAndNeverReadyWithData(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: time.Hour, Volumes: []string{"/data"}}, func(p *pool.Policy) {
			p.KeepData = true
		})
		id := h.foreign("hello", "old", nil)
		h.after(80 * time.Second)
		h.wantStates(app, pool.Asleep)
		if c, there := h.world().Container(id); !there || c.Runs() {
			t.Errorf("it is there: %v, %s", there, c.Status)
		}
		h.wantWords(app, journal.StartFailed, journal.ReplicaStopped)
	})
}

// What min asks for comes with the first answer of its host, not with the next tick.
func TestFirstAnswerStartsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, worlds(1)...)
		defer h.close()
		h.engine().Fault(simulated.Fault{On: simulated.Look, Kind: simulated.Slow, Delay: 300 * time.Millisecond})
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.open()
		h.after(350 * time.Millisecond)
		h.wantStates(app, pool.Ready)
	})
}

// P9: labels alone do not count, nor does the name alone, nor another instance's both. case B014, B016
func TestStrangersAreNotTouched(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		ours := h.warm(app)
		h.must(h.world().Commit(ours.Container, "localhost/committed:latest"))
		strangers := []string{
			h.foreign("hello", "copy", func(s *runtime.Spec) { s.Name = "somebodys" }),
			h.foreign("hello", "bare", func(s *runtime.Spec) { s.Labels = nil }),
			h.foreign("hello", "committed", func(s *runtime.Spec) {
				s.Name, s.Image, s.Labels = "mine", "localhost/committed:latest", nil
			}),
			h.foreign("hello", "second", func(s *runtime.Spec) {
				s.Name = runtime.ContainerName("second", "hello", "second")
				s.Labels[runtime.LabelInstance] = "second"
			}),
			h.foreign("gone", "longer", func(s *runtime.Spec) {
				s.Name, s.Image = runtime.ContainerName("main", "gone", "longer")+"-app", image("hello")
			}),
		}
		h.after(2 * time.Minute)
		h.wantStates(app, pool.Ready)
		for _, id := range strangers {
			if c, there := h.world().Container(id); !there || !c.Runs() {
				t.Errorf("%s was touched", c.Name)
			}
		}
		if n := h.count(simulated.Stop, simulated.Remove, simulated.Pause); n > 0 {
			t.Errorf("%d containers were stopped, paused or removed", n)
		}
	})
}

// A running container of an app that the configuration no longer has is stopped and removed; a stopped one and one that
// was never started, too.
func TestOrphansGo(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.world().SetImage(image("gone"), simulated.Image{StopTime: 2 * time.Second})
		h.foreign("gone", "runs", nil)
		h.must(h.world().Stop(h.foreign("gone", "stopped", nil)))
		h.after(15 * time.Second)
		if all := h.world().All(); len(all) > 0 {
			t.Errorf("left: %v", all)
		}
		if words := h.words("gone"); fmt.Sprint(words) != "[surplus removed surplus removed]" {
			t.Errorf("the journal says %v", words)
		}
	})
}

// A leftover that somebody starts while it is being removed stays: it is removed without force.
func TestLeftoverThatRunsByNow(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		h.engine().Fault(simulated.Fault{On: simulated.Remove, Kind: simulated.Slow, Delay: 2 * time.Second, Times: 1})
		id := h.foreign("hello", "old", nil)
		h.must(h.world().Stop(id))
		for h.count(simulated.Remove) == 0 {
			h.after(100 * time.Millisecond)
		}
		h.must(h.world().Start(id))
		h.after(14 * time.Second)
		h.wantStates(app, pool.Ready)
		h.wantWords(app, journal.ReplicaReadopted)
	})
}

// case B013: kill -9 of Fairlead and a new start: the same containers, adopted, no second set. One that sleeps goes on
// sleeping.
func TestKilledAndStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := build(t, worlds(1)...)
		fill := func(h *house) (busy, dozing *pool.App) {
			busy = h.add("busy", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 3, 3 })
			dozing = h.add("dozing", simulated.Image{}, func(p *pool.Policy) { p.Sleep, p.Idle = pool.SleepStop, time.Second })
			h.open()
			return busy, dozing
		}
		_, dozing := fill(first)
		first.warm(dozing)
		first.after(5 * time.Second)
		before := ids(first.world())
		first.close()

		second := build(t, first.network...)
		busy, dozing := fill(second)
		defer second.close()
		second.after(11 * time.Second)
		second.wantStates(busy, pool.Ready, pool.Ready, pool.Ready)
		second.wantStates(dozing, pool.Asleep)
		if after := ids(second.world()); after != before {
			t.Errorf("containers were %s, are %s", before, after)
		}
		second.warm(dozing)
		second.wantCreates(0)
	})
}

func ids(w *simulated.World) (ids string) {
	for _, c := range w.All() {
		ids += fmt.Sprintf("%.8s %s; ", c.ID, c.Status)
	}
	return ids
}

// The same, killed while the engine starts a container: whatever becomes of that one, there is one in the end, and never
// two.
func TestKilledDuringAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := worlds(1)[0]
		for range 2 {
			h := build(t, world)
			app := h.add("hello", simulated.Image{StartTime: 5 * time.Second}, func(p *pool.Policy) { p.Min = 1 })
			h.open()
			h.after(time.Second)
			h.kill() // the start goes on in the engine
			h.wantStates(app, pool.Starting)
		}
		h := build(t, world)
		defer h.close()
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		h.open()
		h.after(time.Minute)
		h.wantStates(app, pool.Ready)
		h.wantContainers(app, 1)
	})
}

// case B017: an outside start of our sleeping container is adopted, and goes to sleep again when its idle time is over.
func TestOutsideStartOfASleeper(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle, p.Sleep = 5*time.Second, pool.SleepStop })
		row := h.warm(app)
		h.after(7 * time.Second)
		h.wantStates(app, pool.Asleep)
		h.must(h.world().Start(row.Container))
		for h.row(app).State() != pool.Ready {
			h.after(100 * time.Millisecond)
		}
		h.after(4 * time.Second)
		h.wantStates(app, pool.Ready)
		h.after(3 * time.Second)
		h.wantStates(app, pool.Asleep)
		h.wantCreates(1)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped, journal.ReplicaReadopted, journal.ReplicaStopped)
	})
}

// A sleeping container that others remove is reaped, and the next visitor gets a new one.
func TestSleeperRemovedByOthers(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle, p.Sleep = 5*time.Second, pool.SleepStop })
		row := h.warm(app)
		h.after(7 * time.Second)
		h.must(h.world().Remove(row.Container))
		h.after(11 * time.Second)
		h.wantStates(app)
		h.warm(app)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped, journal.ReplicaReaped, journal.ReplicaStarted)
	})
}

// case B211: compose and watchtower rename the old container, run a new one under its name, and remove the old one.
// Somebody serves all the time, and in the end there is one container.
func TestRecreatedByOthers(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: time.Second}, nil)
		old := h.warm(app)
		c, _ := h.world().Container(old.Container)
		h.must(h.world().Rename(old.Container, "old_"+c.Name))
		fresh := h.foreign("hello", old.ID, nil)
		h.after(12 * time.Second)
		if !h.row(app).Serves() {
			t.Error("the old one stopped serving before it died")
		}
		h.must(h.world().RemoveForce(old.Container))
		h.after(25 * time.Second)
		if now := h.row(app); now.Container != fresh || !now.Serves() {
			t.Errorf("the row has container %.8s, serves: %v, want %.8s\n%s", now.Container, now.Serves(), fresh, h.story())
		}
		h.wantCreates(1)
	})
}

// P2, P3: one who removes the container first and makes another under its name races with our replacement, since nobody
// waits for him. Whichever is in the pool first stays, the other one goes, and somebody serves.
func TestRecreatedAgainstMin(t *testing.T) {
	for _, late := range []time.Duration{0, 50 * time.Millisecond, 3 * time.Second} {
		live(t, 1, func(t *testing.T, h *house) {
			h.follow()
			app := h.add("hello", simulated.Image{Boot: time.Second}, func(p *pool.Policy) { p.Min = 1 })
			h.after(2 * time.Second)
			old := h.row(app)
			h.must(h.world().RemoveForce(old.Container))
			h.after(late)
			h.foreign("hello", old.ID, nil)
			h.after(20 * time.Second)
			if now := h.row(app); !now.Serves() {
				t.Errorf("nobody serves\n%s", h.story())
			}
			h.wantContainers(app, 1)
			if peak := h.world().Peak("hello"); peak > 2 {
				t.Errorf("%d ran at once", peak)
			}
		})
	}
}
