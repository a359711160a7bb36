package simulated_test

import (
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

func TestRemovedWhileItStarts(t *testing.T) {
	var world *simulated.World
	stopped := 0
	world = simulated.NewWorld(simulated.Options{
		Addresses: 1,
		OnStart: func(c runtime.Container) (netip.AddrPort, func()) {
			if c.Labels[runtime.LabelApp] == "doomed" {
				must(t, world.RemoveForce(c.ID))
			}
			return netip.AddrPort{}, func() { stopped++ }
		},
	})
	world.SetImage(image, simulated.Image{})
	e := simulated.New("main", world)
	id, err := e.Create(t.Context(), spec("doomed", "r1"))
	must(t, err)
	must(t, e.Start(t.Context(), id))
	if stopped != 1 || len(world.Running("doomed")) != 0 {
		t.Fatalf("the hook was ended %d times", stopped)
	}
	run(t, e, spec("other", "r1")) // the one address is free again
}

func TestStopEndsOneRunOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{StopTime: 10 * time.Second})
		c := run(t, e, spec("hello", "r1"))
		var stopping sync.WaitGroup
		stopping.Go(func() { _ = e.Stop(t.Context(), c.ID, time.Minute) })
		synctest.Wait()
		must(t, world.Restart(c.ID, time.Second))
		stopping.Wait()
		if !inspect(t, e, c.ID).Runs() {
			t.Fatal("the stop of the first run ended the second")
		}
	})
}

// case B011: two removals of one container are one.
func TestRemovalsMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{RemoveTime: time.Second})
		began := time.Now()
		c := run(t, e, spec("hello", "r1"))
		var removing sync.WaitGroup
		for range 2 {
			removing.Go(func() {
				if err := e.Remove(t.Context(), c.ID, true); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if s := inspect(t, e, c.ID); s.Status != runtime.StatusRemoving {
			t.Errorf("meanwhile: %+v", s)
		}
		removing.Wait()
		events, err := e.Events(t.Context(), began)
		must(t, err)
		time.AfterFunc(time.Second, e.CutEvents)
		var actions []runtime.Action
		for ev := range events {
			actions = append(actions, ev.Action)
		}
		if i := slices.Index(actions, runtime.Removed); i >= 0 && slices.Contains(actions[i+1:], runtime.Removed) {
			t.Errorf("removed twice: %v", actions)
		}
	})
}
