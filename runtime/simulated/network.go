package simulated

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Network joins worlds, so that one dialer reaches the containers of several hosts.
type Network []*World

// Dial reaches whoever has the address now: refused if nothing listens there, no route if nobody has it.
func (n Network) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, w := range n {
		if conn, err := w.dial(addr); conn != nil || err != nil {
			return conn, err
		}
	}
	return nil, fmt.Errorf("simulated: dial %s: %w", addr, syscall.EHOSTUNREACH)
}

// Dial is a pipe into the running container that has the address now. It ends when the container's run does, and
// carries nothing while the container is paused.
func (w *World) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return Network{w}.Dial(ctx, addr)
}

// dial returns nothing if nobody here has the address.
func (w *World) dial(addr netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, direct := w.at(addr)
	switch {
	case c == nil:
		return nil, nil
	case c.listens() && (!direct || c.has(addr.Port())):
		return w.connect(c), nil
	case direct:
		return nil, fmt.Errorf("simulated: dial %s: %w", addr, syscall.ECONNREFUSED)
	default:
		return w.forward(), nil
	}
}

// at finds who has an address, its own or a published one. It needs the lock.
func (w *World) at(addr netip.AddrPort) (c *container, direct bool) {
	for _, c := range w.containers {
		if !c.alive() {
			continue
		}
		if slices.Contains(c.IPs, addr.Addr()) {
			return c, true
		}
		for _, published := range c.Published {
			if published == addr {
				return c, false
			}
		}
	}
	return nil, false
}

// has says whether the app listens on a port: on those of its spec, or on any if it names none.
func (c *container) has(port uint16) bool {
	return len(c.spec.Ports) == 0 ||
		slices.ContainsFunc(c.spec.Ports, func(p runtime.Port) bool { return p.Number == int(port) })
}

func (w *World) connect(c *container) net.Conn {
	ours, theirs := net.Pipe()
	if c.conns == nil {
		c.conns = map[net.Conn]struct{}{}
	}
	c.conns[theirs] = struct{}{}
	serve := c.image.Serve
	if serve == nil {
		serve = ServeHTTP
	}
	go w.serve(c, c.snapshot(), &frozen{Conn: theirs, world: w, of: c}, serve)
	return ours
}

func (w *World) serve(c *container, run runtime.Container, conn *frozen, serve func(runtime.Container, net.Conn)) {
	serve(run, conn)
	conn.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(c.conns, conn.Conn)
}

// forward is the port forwarder of an engine: it accepts though the app does not listen, and ends the connection
// later (measured: 1.5 ms on Docker, 191 ms on rootless Podman).
func (w *World) forward() net.Conn {
	ours, theirs := net.Pipe()
	in := 1500 * time.Microsecond
	if w.options.Manner == LikePodman {
		in = 191 * time.Millisecond
	}
	time.AfterFunc(in, func() { theirs.Close() })
	return ours
}

// CloseConns ends all connections into a container from its side, or into all if the name is empty.
func (w *World) CloseConns(idOrName string) {
	for _, conn := range w.conns(idOrName) {
		conn.Close()
	}
}

func (w *World) conns(idOrName string) []net.Conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	var conns []net.Conn
	for _, c := range w.containers {
		if idOrName != "" && c.ID != idOrName && c.Name != idOrName {
			continue
		}
		for conn := range c.conns {
			conns = append(conns, conn)
		}
	}
	return conns
}

// frozen is the app's end of a connection: while the container is paused, nothing passes.
type frozen struct {
	net.Conn
	world *World
	of    *container
}

func (f *frozen) Read(p []byte) (int, error) {
	f.thaw()
	n, err := f.Conn.Read(p)
	f.thaw()
	return n, err
}

func (f *frozen) Write(p []byte) (int, error) {
	f.thaw()
	return f.Conn.Write(p)
}

func (f *frozen) thaw() {
	for {
		f.world.mu.Lock()
		paused, changed := f.of.Status == runtime.StatusPaused, f.world.changed
		f.world.mu.Unlock()
		if !paused {
			return
		}
		<-changed
	}
}
