package simulated_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Whatever happens at once, no two running containers share an address and no address gets lost.
func TestChaosKeepsTheWorldWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const addresses = 12
		e, world := newEngine(simulated.Options{Addresses: addresses, ReuseNewest: true}, simulated.Image{
			StartTime: time.Millisecond, StopTime: time.Millisecond, RemoveTime: time.Millisecond,
		})
		e.Fault(simulated.Fault{On: simulated.Start, Kind: simulated.LostReply, Times: 20})
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { chaos(t.Context(), e, world, rand.New(rand.NewPCG(1, uint64(i))), fmt.Sprint("r", i%4)) })
		}
		all.Wait()
		time.Sleep(time.Minute)
		unshared(t, world)
		for _, c := range world.All() {
			must(t, e.Remove(t.Context(), c.ID, true))
		}
		for i := range addresses {
			if c := run(t, e, spec("after", fmt.Sprint("r", i))); len(c.IPs) != 1 {
				t.Fatalf("container %d has %v", i, c.IPs)
			}
		}
	})
}

// chaos acts at random on one name; its errors are part of it.
func chaos(ctx context.Context, e *simulated.Engine, world *simulated.World, random *rand.Rand, replica string) {
	s := spec("hello", replica)
	acts := []func(id string){
		func(string) { _, _ = e.Create(ctx, s) },
		func(id string) { _ = e.Start(ctx, id) },
		func(id string) { _ = e.Start(ctx, id) },
		func(id string) { _ = e.Stop(ctx, id, time.Second) },
		func(id string) { _ = e.Remove(ctx, id, true) },
		func(id string) { _ = e.Pause(ctx, id) },
		func(id string) { _ = world.Restart(id, time.Millisecond) },
		func(id string) { _ = world.Kill(id) },
		func(id string) { _, _ = world.Recreate(id) },
		func(id string) { _, _ = e.ReplicaLiveness(ctx, []runtime.Query{{Container: id}}) },
		func(string) { time.Sleep(time.Millisecond) },
	}
	for range 300 {
		c, _ := world.Container(s.Name)
		acts[random.IntN(len(acts))](c.ID)
	}
}

func unshared(t *testing.T, world *simulated.World) {
	t.Helper()
	holders := map[netip.Addr]string{}
	for _, c := range world.Running("hello") {
		if len(c.IPs) != 1 || holders[c.IPs[0]] != "" {
			t.Fatalf("%s runs at %v, where %q is", c.ID, c.IPs, holders[c.IPs[0]])
		}
		holders[c.IPs[0]] = c.ID
	}
}
