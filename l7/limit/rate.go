// Package limit counts what visitors ask for.
//
//	rate := limit.NewRate(100, time.Minute, 20)
//	if wait := rate.Take(addr, time.Now()); wait > 0 {
//		// too much: come back after that
//	}
//
// Its memory is bounded: it knows the clients that came last, and whoever it has forgotten is new. It answers at once and
// queues nobody.
package limit

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Known is how many clients a Rate remembers: some 12 MiB.
const Known = 1 << 16

// network is the part of an IPv6 address that one client has for himself: he picks the rest as he likes.
const network = 64

// Rate lets each client take a number of requests within a time on average. It is a token bucket that stores one
// moment for each client, the one at which his bucket is full again (GCRA).
type Rate struct {
	interval time.Duration // in which one request comes back
	slack    time.Duration // how far ahead of it a client may be

	mu      sync.Mutex // guards the fields below
	clients map[netip.Addr]*list.Element
	order   list.List // of *client, who came last in front
}

type client struct {
	addr netip.Addr
	full time.Time // when he has all of his burst again
}

// NewRate lets each client make requests within a time, and burst of them at once; 0 is all of them.
func NewRate(requests int, within time.Duration, burst int) *Rate {
	if burst == 0 {
		burst = requests
	}
	interval := max(within/time.Duration(requests), 1)
	return &Rate{interval: interval, slack: interval * time.Duration(burst-1), clients: map[netip.Addr]*list.Element{}}
}

// Take takes one request of a client, and returns 0; or takes nothing and returns how long he has to wait for one. All
// who have no IP address are one client.
func (r *Rate) Take(addr netip.Addr, now time.Time) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.client(owner(addr))
	full := c.full
	if full.Before(now) {
		full = now
	}
	if ahead := full.Sub(now); ahead > r.slack {
		return ahead - r.slack
	}
	c.full = full.Add(r.interval)
	return 0
}

// client finds him, or puts him in the place of who came least recently.
func (r *Rate) client(addr netip.Addr) *client {
	if e := r.clients[addr]; e != nil {
		r.order.MoveToFront(e)
		return e.Value.(*client)
	}
	if r.order.Len() < Known {
		c := &client{addr: addr}
		r.clients[addr] = r.order.PushFront(c)
		return c
	}
	e := r.order.Back()
	r.order.MoveToFront(e)
	c := e.Value.(*client)
	delete(r.clients, c.addr)
	r.clients[addr] = e
	*c = client{addr: addr}
	return c
}

// owner is the address that stands for all of a client's.
func owner(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		prefix, _ := addr.Prefix(network) // which every IPv6 address has
		return prefix.Addr()
	}
	return addr
}
