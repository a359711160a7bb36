package simulated

import (
	"fmt"
	"net/netip"
	"slices"
)

// addresses is the pool of a world. An address that was freed comes back last, or first when newest is set: then a
// stranger takes over a dead container's address at once.
type addresses struct {
	free   []netip.Addr
	newest bool
}

func newAddresses(seed, count int, newest bool) addresses {
	pool := addresses{newest: newest}
	for i := range count {
		n := i + 2 // .1 is the bridge
		pool.free = append(pool.free, netip.AddrFrom4([4]byte{127, byte(64 + seed%64), byte(n >> 8), byte(n)}))
	}
	return pool
}

// take prefers the wanted address while it is free.
func (p *addresses) take(wanted netip.Addr) (netip.Addr, bool) {
	if len(p.free) == 0 {
		return netip.Addr{}, false
	}
	i := max(0, slices.Index(p.free, wanted))
	addr := p.free[i]
	p.free = slices.Delete(p.free, i, i+1)
	return addr, true
}

func (p *addresses) release(addr netip.Addr) {
	if p.newest {
		p.free = slices.Insert(p.free, 0, addr)
		return
	}
	p.free = append(p.free, addr)
}

// attach gives the container its address for the next run, and its ports. Docker hands a restarted container the old
// address while it is free; Podman never does. It needs the lock.
func (w *World) attach(c *container) error {
	w.publish(c)
	if w.options.Rootless {
		return nil
	}
	var wanted netip.Addr
	if w.options.Manner == LikeDocker {
		wanted = c.address
	}
	addr, ok := w.pool.take(wanted)
	if !ok {
		return fmt.Errorf("start %s: %w", c.Name, ErrExhausted)
	}
	c.address, c.IPs = addr, []netip.Addr{addr}
	return nil
}

// detach frees the address for others. It needs the lock.
func (w *World) detach(c *container) {
	for _, addr := range c.IPs {
		w.pool.release(addr)
	}
	c.IPs = nil
}

// publish gives every published TCP port its host port. Docker takes new ones for each start, Podman keeps them.
func (w *World) publish(c *container) {
	if c.Published != nil && w.options.Manner == LikePodman {
		return
	}
	published := map[int]netip.AddrPort{}
	for _, p := range c.spec.Ports {
		if !p.Publish || p.Proto == "udp" {
			continue
		}
		host, err := netip.ParseAddr(p.HostIP)
		if err != nil || host.IsUnspecified() {
			host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		}
		published[p.Number] = netip.AddrPortFrom(host, w.nextPort)
		w.nextPort++
	}
	c.Published = published
}
