package contract

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// joinsNetworks: the network that was asked for first is the one that is dialled, whatever its name.
func joinsNetworks(t *testing.T, b bench) {
	outside, ok := b.Outside.(Networker)
	if !ok {
		t.Skip("no networks can be made on this engine")
	}
	first, second := "fairlead-z-"+b.Instance, "fairlead-a-"+b.Instance
	for _, name := range []string{first, second} {
		b.must("make a network", outside.Network(b.ctx, name))
	}
	spec := b.spec("r1")
	spec.Networks = []string{first, second}
	id := b.create(spec)
	b.must("start", b.Engine.Start(b.ctx, id))
	c := b.served(id)
	if len(c.IPs) < 2 || len(c.Networks[first]) == 0 || c.IPs[0] != c.Networks[first][0] ||
		!slices.Contains(c.IPs, c.Networks[second][0]) {
		b.Errorf("want the address in %s first and both there; got %v of %v", first, c.IPs, c.Networks)
	}

	// case B037: who shares another's network is reached where that one is, and nowhere once that one is gone.
	guest := b.spec("r2")
	guest.Networks, guest.Ports = []string{"container:" + id}, nil
	guest.Command = slices.Replace(slices.Clone(b.Serve), len(b.Serve)-1, len(b.Serve), "8081")
	guestID := b.create(guest)
	b.must("start the guest", b.Engine.Start(b.ctx, guestID))
	if g := b.inspect(guestID); !slices.Equal(g.IPs, c.IPs) || g.Published[b.Port] != c.Published[b.Port] {
		b.Errorf("want the addresses of its network's holder %v, got %v", c.IPs, g.IPs)
	}

	incomplete := b.spec("r3")
	incomplete.Networks = []string{first, "fairlead-no-such-network"}
	_, err := b.Engine.Create(b.ctx, incomplete)
	b.want("create in a network that is not there", err, runtime.ErrInvalid)
	_, err = b.Engine.Inspect(b.ctx, incomplete.Name)
	b.want("the half-made container", err, runtime.ErrNotFound)
}

// isRemovedByTwo: case B011. Two removals of one container at once are both a success.
func isRemovedByTwo(_ *testing.T, b bench) {
	id := b.serving("r1").ID
	var both sync.WaitGroup
	failures := make([]error, 2)
	for i := range failures {
		both.Go(func() { failures[i] = b.Engine.Remove(b.ctx, id, true) })
	}
	both.Wait()
	b.must("remove", errors.Join(failures...))
	_, err := b.Engine.Inspect(b.ctx, id)
	b.want("afterwards", err, runtime.ErrNotFound)
}
