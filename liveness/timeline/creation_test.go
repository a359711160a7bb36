package timeline

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// A create in flight is not discovered, whatever moment a pass lists it at: before its id is known, or before it is
// started.
func TestCreateInFlightIsNotDiscovered(t *testing.T) {
	for _, fault := range []simulated.Fault{
		{On: simulated.Create, Kind: simulated.LateReply, Delay: 12 * time.Second},
		{On: simulated.Identity, Kind: simulated.Slow, Delay: 4 * time.Second},
		{On: simulated.Start, Kind: simulated.Slow, Delay: 12 * time.Second},
	} {
		t.Run(fault.On.String(), func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				h.engine().Fault(fault)
				app := h.add("hello", simulated.Image{}, nil)
				h.warm(app)
				h.wantStates(app, pool.Ready)
				h.wantCreates(1)
				h.wantWords(app, journal.ReplicaStarted)
			})
		})
	}
}

// The pass asked before the row stood, and its listing comes back when the container has been made and not started: it
// is the scaler's, no leftover.
func TestListingOlderThanTheRow(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{StartTime: 8 * time.Second}, nil)
		h.engine().Fault(simulated.Fault{On: simulated.List, Kind: simulated.Slow, Delay: 2 * time.Second})
		for before := h.engine().Count(simulated.List); h.engine().Count(simulated.List) == before; {
			h.after(50 * time.Millisecond)
		}
		h.warm(app) // reserved after the asking, listed as created
		h.wantCreates(1)
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// P2: a lost reply to a create keeps the slot and is settled by name.
func TestLostReplyToCreate(t *testing.T) {
	for _, fault := range []simulated.Fault{
		{On: simulated.Create, Kind: simulated.LostReply, Times: 1},
		{On: simulated.Create, Kind: simulated.Garbage, Times: 1},
		{On: simulated.Create, Kind: simulated.LostReply, Delay: simulated.Forever, Times: 1},
		{On: simulated.Start, Kind: simulated.LostReply, Times: 1},
	} {
		t.Run(fault.On.String()+" "+fault.Kind.String()+" "+fault.Delay.String(), func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				h.engine().Fault(fault)
				app := h.add("hello", simulated.Image{}, nil)
				h.warm(app)
				h.wantCreates(1)
				h.wantContainers(app, 1)
				h.wantStates(app, pool.Ready)
			})
		})
	}
}

// P5: an inspect tells of another app's container. It is believed by nobody.
func TestAnswerAboutAnotherContainer(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		other := h.warm(h.add("other", simulated.Image{}, nil))
		h.engine().Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Swapped, App: "hello", Times: 4})
		app := h.add("hello", simulated.Image{Boot: time.Second}, nil)
		row := h.warm(app)
		if c, _ := h.world().Container(row.Container); c.Labels[runtime.LabelApp] != "hello" || row.Start() != c.Start {
			t.Errorf("the row has the container %s (the other's is %.8s)\n%s", c.Name, other.Container, h.story())
		}
	})
}

// P2: nobody knows whether a create that failed has made something, so its slot is kept until the engine says 404 after
// the deadline. Meanwhile nothing else is asked for.
func TestFailedCreateKeepsItsSlot(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.engine().Fault(simulated.Fault{On: simulated.Create, Kind: simulated.Status500, Times: 1})
		app := h.add("hello", simulated.Image{}, nil)
		h.waits(app)
		h.after(29 * time.Second)
		h.wantStates(app, pool.Starting)
		h.wantCreates(1)
		h.after(20 * time.Second)
		h.wantStates(app) // the visitor was told of the failure and left
		h.wantWords(app, journal.StartFailed)
		h.after(30 * time.Second)
	})
}

// P2: the engine is silent after the create: no 404, no answer, no free slot.
func TestSilenceAfterCreateKeepsItsSlot(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{CreateTime: 2 * time.Second}, nil)
		h.engine().Fault(simulated.Fault{On: simulated.Create, Kind: simulated.LostReply})
		h.waits(app)
		h.after(time.Second)
		h.world().Down(true)
		h.after(3 * time.Minute)
		h.wantStates(app, pool.Starting)
		h.wantCreates(1)
		h.world().Up()
		h.after(15 * time.Second)
		h.wantStates(app, pool.Ready)
		h.wantCreates(1)
		h.wantContainers(app, 1)
	})
}

// case B010: the name is taken. By our own create, whose first reply was lost: it is ours. By nobody any more: it fails
// at once. By a stranger: he is not touched, and the failure names him.
func TestNameIsTaken(t *testing.T) {
	conflict := simulated.Fault{On: simulated.Create, Err: runtime.ErrConflict, Times: 1}
	t.Run("by ourselves", func(t *testing.T) {
		live(t, 1, func(t *testing.T, h *house) {
			conflict.Kind = simulated.LostReply
			h.engine().Fault(conflict)
			app := h.add("hello", simulated.Image{}, nil)
			h.warm(app)
			h.wantContainers(app, 1)
		})
	})
	t.Run("by nobody any more", func(t *testing.T) {
		live(t, 1, func(t *testing.T, h *house) {
			conflict.Kind = simulated.Status500
			h.engine().Fault(conflict)
			app := h.add("hello", simulated.Image{}, nil)
			began := time.Now()
			if a := h.visit(app, pool.Visitor{}); a.Outcome != pool.Failed || time.Since(began) > time.Second {
				t.Errorf("%s after %s", a.Outcome, time.Since(began))
			}
		})
	})
	t.Run("by a stranger", func(t *testing.T) {
		live(t, 1, func(t *testing.T, h *house) {
			h.engine().Fault(simulated.Fault{On: simulated.Create, Kind: simulated.Slow, Delay: time.Second, Times: 1})
			app := h.add("hello", simulated.Image{}, nil)
			h.waits(app)
			h.after(500 * time.Millisecond)
			id := h.foreign("hello", h.row(app).ID, func(s *runtime.Spec) { s.Labels = nil })
			h.after(600 * time.Millisecond)
			if f := app.Snapshot().Failure; f == nil || !strings.Contains(f.Detail, id[:12]) {
				t.Errorf("the failure is %+v", f)
			}
			h.after(time.Minute)
			if c, there := h.world().Container(id); !there || !c.Runs() {
				t.Error("the stranger was touched")
			}
		})
	})
}

// The image is not there: refused for certain, and at once.
func TestRefusedCreateFailsAtOnce(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Absent: true, Unpullable: true}, nil)
		began := time.Now()
		a := h.visit(app, pool.Visitor{})
		if a.Outcome != pool.Failed || a.Failure.Reason != "pull failed" || time.Since(began) > time.Second {
			t.Errorf("%s %+v after %s", a.Outcome, a.Failure, time.Since(began))
		}
		synctest.Wait()
		h.wantStates(app)
	})
}

// case B050: create 201, start 500. After ten requests nothing is left, and the engine was asked three times at most.
func TestStartRefused(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500})
		app := h.add("hello", simulated.Image{}, nil)
		for range 10 {
			if a := h.visit(app, pool.Visitor{}); a.Outcome != pool.Failed || a.Failure.Detail == "" {
				t.Errorf("%s %+v", a.Outcome, a.Failure)
			}
			h.after(300 * time.Millisecond)
		}
		h.after(time.Second)
		h.wantContainers(app, 0)
		h.wantStates(app)
		if n := h.count(simulated.Start); n > 3 {
			t.Errorf("%d starts", n)
		}
		h.engine().Heal()
		h.after(10 * time.Second)
		h.warm(app)
		if f := app.Snapshot().Failure; f != nil {
			t.Errorf("a success leaves the failure %+v", f)
		}
	})
}

// An engine that trips once over a start is asked once more, for the same container, and the visitor sees nothing of it.
func TestStartStumbles(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500, Times: 1})
		app := h.add("hello", simulated.Image{}, nil)
		h.served(app)
		h.wantCreates(1)
		h.wantWords(app, journal.ReplicaStarted)
	})
}

// An exit during the start fails at once, with the exit code and, under it, the last line: that is for those who may read
// logs, so no event has it.
func TestCrashDuringStart(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Crashes: true, CrashAfter: 2 * time.Second, ExitCode: 3, CrashLog: "no database\n",
			Boot: time.Minute}, nil)
		began := time.Now()
		a := h.visit(app, pool.Visitor{})
		if took := time.Since(began); a.Outcome != pool.Failed || a.Failure.Reason != "crashed" || took > 3*time.Second {
			t.Fatalf("%s %+v after %s", a.Outcome, a.Failure, took)
		}
		cause, printed, _ := strings.Cut(a.Failure.Detail, "\n")
		if !strings.Contains(cause, "exited with code 3") || !strings.Contains(printed, "exit 3") {
			t.Errorf("the detail is %q", a.Failure.Detail)
		}
		if strings.Contains(h.story(), "exit 3") {
			t.Errorf("an event has what the container printed:\n%s", h.story())
		}
		if h.scaler.Previous.Of("hello") == "" {
			t.Error("the last output is not kept")
		}
		h.after(time.Second)
		h.wantContainers(app, 0)
	})
}

// What an engine repeats of an address with a password is shown without it.
func TestFailureHasNoPassword(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		said := errors.New(`Get "https://me:hunter2@registry.lan/v2/": refused`)
		h.engine().Fault(simulated.Fault{On: simulated.Pull, Kind: simulated.Status500, Err: said})
		a := h.visit(h.add("hello", simulated.Image{}, nil), pool.Visitor{})
		if a.Outcome != pool.Failed || !strings.Contains(a.Failure.Detail, "me:xxxxx@registry.lan") {
			t.Errorf("%s: %+v", a.Outcome, a.Failure)
		}
	})
}

// Several starts that fail at the same time are one failure: the back-off doubles with each round, not with each
// replica.
func TestOneRoundOneFailure(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Status500})
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 4, 4 })
		h.after(900 * time.Millisecond)
		if f := app.Snapshot().Failure; f == nil || f.Tries != 1 {
			t.Errorf("after one round: %+v", f)
		}
	})
}

// case B052: ten visitors, one seat each, three replicas at most.
func TestNeverAboveMax(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Boot: 2 * time.Second}, func(p *pool.Policy) {
			p.Max, p.Seats, p.Sticky = 3, 1, true
		})
		outcomes := make(chan pool.Outcome, 10)
		for range 10 {
			go func() { outcomes <- h.visit(app, pool.Visitor{Open: true}).Outcome }()
		}
		counts := map[pool.Outcome]int{}
		for range 10 {
			counts[<-outcomes]++
		}
		if counts[pool.Served] != 3 || counts[pool.Full] != 7 {
			t.Errorf("outcomes: %v", counts)
		}
		h.wantCreates(3)
		if peak := h.world().Peak("hello"); peak != 3 {
			t.Errorf("%d ran at once", peak)
		}
	})
}
