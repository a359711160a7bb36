package h1

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/relay/loop"
)

// A connection on a loop is served by a fiber as long as there are requests, and by none while it is idle. What does not
// suit a loop (an upgrade, a body that is still to come, another protocol) is left to a goroutine, head and all.

// serveOnLoop serves a socket, or TLS over a Link after its handshake, which it owns then. False if it is something else,
// or there is no loop.
func (s *Server) serveOnLoop(conn net.Conn) bool {
	if s.Goroutines {
		return false
	}
	loops := loop.Shared()
	socket, _ := socketOf(conn).(*net.TCPConn)
	link := linkOf(conn)
	if loops == nil || socket == nil || link == nil && conn != net.Conn(socket) {
		return false
	}
	c := &inbound{server: s, conn: conn, socket: socket, link: link, ctx: NewGone(), remote: socket.RemoteAddr().String()}
	strand, err := fiber.Of(loops.Pick()).Adopt(socket, c)
	if err != nil {
		return false // no descriptor is left: a goroutine needs none
	}
	if link != nil {
		state := conn.(*tls.Conn).ConnectionState()
		c.tls = &state
	}
	if !s.enter(c) {
		strand.Close()
		return true
	}
	c.embark(strand, s.headerTimeout())
	return true
}

// serveSocket serves what a loop has accepted at the address local. It runs on a loop.
func (s *Server) serveSocket(socket relay.Socket, local net.Addr) {
	c := &inbound{server: s, ctx: NewGone(), remote: socket.Remote.String()}
	fd, l := socket.Take()
	strand := fiber.Of(l).NewConn(fd, local, net.TCPAddrFromAddrPort(socket.Remote), c)
	if c.conn, c.socket = strand, strand; !s.enter(c) {
		strand.Close()
		return
	}
	c.embark(strand, s.headerTimeout())
}

// embark gives the connection, which is idle, to the strand's loop.
func (c *inbound) embark(strand *fiber.Conn, wait time.Duration) {
	if !c.change(strand, strand) {
		strand.Close()
		if c.idleNoMore() {
			c.finish()
		}
		return
	}
	c.raw, c.deadline = nil, noDeadline
	strand.Stall = c.server.stallTimeout()
	_ = strand.SetReadDeadline(time.Now().Add(wait))
	strand.Do(c.arrive)
	if c.server.leaving.Load() {
		c.hurry() // whoever did so before has met a socket that is closed, or a deadline that was not the last
	}
}

// arrive runs on the loop.
func (c *inbound) arrive() {
	if now := c.phase.Load(); now != parked && now != fresh {
		return // it was dismissed before
	}
	switch {
	case c.strand.Add() != nil:
		c.Expired()
	case c.link != nil:
		c.Ready() // TLS may have read more than it has given
	default:
		c.strand.Rest()
	}
}

// Fetch is told by the loop: there is something to read, or the end. What TLS has to say to it needs a fiber.
func (c *inbound) Fetch() {
	if now := c.phase.Load(); c.link == nil && c.in == nil && (now == parked || now == fresh) {
		c.fetch()
	}
}

// fetch takes what is there; it need not be anything.
func (c *inbound) fetch() error {
	c.in = c.server.borrow(c)
	n, err := c.tryRead(c.in.buf)
	if c.in.filled = n; n == 0 {
		c.release()
	}
	return err
}

// Ready is told by the loop: there is something to read, or the end.
func (c *inbound) Ready() {
	switch {
	case c.phase.CompareAndSwap(parked, idle), c.phase.Load() == fresh:
		c.strand.Home().Start(c)
	case c.in != nil:
		c.release() // it was dismissed after Fetch
	}
}

// Expired is told by the loop: the connection was idle for too long.
func (c *inbound) Expired() {
	if c.idleNoMore() {
		c.strand.Home().Start(dismissed{c})
	}
}

// idleNoMore ends a connection that is parked or has said nothing yet; what follows is finish.
func (c *inbound) idleNoMore() bool {
	return c.phase.CompareAndSwap(parked, over) || c.phase.CompareAndSwap(fresh, over)
}

// dismissed is the end of an idle connection on a loop: TLS has a last word, and that may have to wait.
type dismissed struct{ *inbound }

// Run is what a fiber does with it.
func (d dismissed) Run(f *fiber.Fiber) {
	d.strand.Bind(f)
	d.finish()
}

// Left is told by the loop: the visitor has ended his direction. It may be all that he has ended, after his last request:
// an answer that comes soon still finds him.
func (c *inbound) Left() {
	if c.phase.Load() == busy {
		c.gone.Fire = c.leftBefore
		c.strand.Loop().After(&c.gone, watchAfter)
	}
}

func (c *inbound) leftBefore() {
	if c.phase.Load() == busy {
		c.ctx.Leave(errLeft)
	}
}

// Run is what a fiber does with the connection.
func (c *inbound) Run(f *fiber.Fiber) {
	c.strand.Bind(f)
	c.ctx.fiber = f
	c.resume()
}

// awaitOnLoop takes what is there already, in TLS's hands too; for more, no fiber waits.
func (c *inbound) awaitOnLoop() step {
	if c.served > 0 {
		c.phase.Store(idle)
		if c.server.leaving.Load() {
			return stop
		}
		c.within(c.server.keepAliveTimeout())
	}
	for hidden := c.link != nil && !c.link.drained; hidden || c.strand.Readable(); hidden = false {
		switch err := c.fetch(); {
		case c.in != nil:
			return c.busy()
		case !fiber.WouldBlock(err):
			return stop
		}
	}
	if c.served > 0 && !c.phase.CompareAndSwap(idle, parked) {
		return stop
	}
	c.strand.Rest()
	return away
}

// tryRead is a Read that does not wait.
func (c *inbound) tryRead(p []byte) (int, error) {
	if c.link == nil {
		return c.strand.TryRead(p)
	}
	return c.link.tryRead(c.conn, p)
}

// suitsLoop says whether the request can be answered where nothing but its connections may be waited for: all of it is
// there, and it stays HTTP/1.1.
func (in *Incoming) suitsLoop() bool {
	whole := !in.hasBody || in.head.length > 0 && in.head.length <= int64(in.filled-in.at) && !in.head.expects
	return whole && !in.Header.Has("Upgrade")
}

// leaveLoop has a goroutine go on from where the request began.
func (c *inbound) leaveLoop() step {
	conn, err := c.strand.Detach()
	if err != nil {
		return stop
	}
	if !c.change(conn, nil) {
		conn.Close()
		return stop
	}
	c.in.head.reset()
	c.ctx.fiber, c.deadline = nil, noDeadline
	c.raw, c.try = plainSocket(c.conn), c.readNow
	go c.resume()
	return away
}

// change puts another socket in place of the present one, unless that was closed.
func (c *inbound) change(socket net.Conn, strand *fiber.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.hastened = time.Time{}
	if c.socket, c.strand = socket, strand; c.link != nil {
		c.link.Conn = socket
	} else {
		c.conn = socket
	}
	return true
}
