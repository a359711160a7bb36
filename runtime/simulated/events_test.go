package simulated_test

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// taken reads n events.
func taken(events <-chan runtime.Event, n int) (actions []runtime.Action) {
	for range n {
		actions = append(actions, (<-events).Action)
	}
	return actions
}

func TestEventsInDockersOrder(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	began := time.Now()
	events, err := e.Events(t.Context(), time.Time{})
	must(t, err)
	c := run(t, e, spec("hello", "r1"))
	must(t, world.Restart(c.ID, 0))
	must(t, e.Pause(t.Context(), c.ID))
	must(t, e.Unpause(t.Context(), c.ID))
	must(t, world.RemoveForce(c.ID))
	want := []runtime.Action{
		runtime.Created, runtime.Started, runtime.Stopping, runtime.Died, runtime.Started,
		runtime.PausedIt, runtime.Unpaused, runtime.Stopping, runtime.Died, runtime.Removed,
	}
	if got := taken(events, len(want)); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	again, err := e.Events(t.Context(), began)
	must(t, err)
	if got := taken(again, len(want)); !slices.Equal(got, want) {
		t.Errorf("replayed %v", got)
	}
}

func TestLateLostAndCutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		events, err := e.Events(ctx, time.Time{})
		must(t, err)
		e.Fault(simulated.Fault{Kind: simulated.LateEvent, App: "late", Delay: 200 * time.Millisecond})
		e.Fault(simulated.Fault{Kind: simulated.LostEvent, App: "lost"})
		run(t, e, spec("lost", "r1"))
		run(t, e, spec("late", "r1"))
		began := time.Now()
		if ev := <-events; ev.Name != "fairlead-main-late-r1" || time.Since(began) != 200*time.Millisecond {
			t.Fatalf("got %+v after %v", ev, time.Since(began))
		}
		taken(events, 1)
		e.CutEvents()
		if ev := <-events; !errors.Is(ev.Err, simulated.ErrCut) {
			t.Fatalf("cut: %+v", ev)
		}
		if _, open := <-events; open {
			t.Fatal("still open")
		}
		must(t, world.Kill("fairlead-main-late-r1"))
	})
}

func TestDaemonRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{})
		c := run(t, e, spec("hello", "r1"))
		events, err := e.Events(t.Context(), time.Time{})
		must(t, err)
		world.RestartDaemon(time.Second, true)
		if ev := <-events; !errors.Is(ev.Err, simulated.ErrCut) {
			t.Fatalf("got %+v", ev)
		}
		_, err = e.Inspect(t.Context(), c.ID)
		wantErr(t, err, syscall.ECONNREFUSED)
		time.Sleep(time.Second)
		synctest.Wait()
		if now := inspect(t, e, c.ID); now.Start != c.Start || !now.Runs() {
			t.Fatalf("live restore: %+v", now)
		}
		world.RestartDaemon(0, false)
		if now := inspect(t, e, c.ID); now.Runs() {
			t.Fatal("it outlived the daemon")
		}
	})
}
