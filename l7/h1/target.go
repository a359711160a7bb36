package h1

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
)

// Target is one start of a container at one address. No connection to it is used for any other (P5).
type Target struct {
	Key    any // comparable, a pointer at best; the same for the same start, never used again for another
	Addr   netip.AddrPort
	Direct bool // the container's own address: a connect proves that the app listens
	// Ended is closed when the start is over or its address has changed. All connections, busy ones too, are closed.
	// Nil means never.
	Ended <-chan struct{}
	// TLS says how the app is known that speaks it, nil if it does not. No connection that was made with one is used with
	// another.
	TLS *tls.Config
}

// place keeps the connections to a start's ports apart.
type place struct {
	key  any
	addr netip.AddrPort
	tls  *tls.Config
}

func (t Target) place() place { return place{t.Key, t.Addr, t.TLS} }

func (t Target) over() bool {
	select {
	case <-t.Ended:
		return true
	default:
		return false
	}
}

// target is what the client keeps of a Target: its connections.
type target struct {
	client *Client
	self   Target
	secure *tls.Config     // the target's TLS, with the sessions of this start alone; nil: none
	ctx    context.Context // over, with the cause, when the target is
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards the fields below
	all   map[*conn]struct{}
	live  int     // how many of them are not over
	idle  []*conn // the latest last
	omens omens
	taken int         // kept connections, since the app has last ended one
	sweep time.Time   // when the next idle limit is looked at; zero: never
	timer *time.Timer // of that
}

func newTarget(c *Client, self Target) *target {
	t := &target{client: c, self: self, all: make(map[*conn]struct{}), secure: resuming(self.TLS)}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// end closes all connections and lets no other in.
func (t *target) end(cause error) {
	t.cancel(cause)
	t.mu.Lock()
	all := t.all
	t.all, t.idle = nil, nil
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	for c := range all {
		c.kill(cause)
	}
}

// dial opens a connection, on the fiber's loop if there is one; the end of the target ends the attempt.
func (t *target) dial(ctx context.Context, to Target) (*conn, error) {
	f := fiberOf(ctx)
	f.MayBlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })()
	raw, err := t.client.Dial(ctx, to.Addr, to.Direct)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	if t.secure != nil {
		if raw, err = t.shake(ctx, raw); err != nil {
			return nil, err
		}
	}
	c := t.connOf(raw, f)
	if !t.add(c) {
		c.hangUp()
		return nil, context.Cause(t.ctx)
	}
	if c.strand != nil {
		return c, c.join(f)
	}
	f.Apart() // reading from this one blocks
	t.client.watcher.add(c)
	return c, nil
}

// connOf makes a connection of what was dialled. Of a fiber's it is on the loop, unless something wraps it.
func (t *target) connOf(raw net.Conn, f *fiber.Fiber) *conn {
	c := &conn{Conn: raw, target: t, link: linkOf(raw)}
	if socket, ok := c.wire().(*net.TCPConn); ok && f != nil {
		if strand, err := f.Home().Adopt(socket, c); err == nil {
			c.embark(strand)
			return c
		}
	}
	if c.link == nil {
		c.peeker, c.asker = newPeeker(raw), newAsker(raw)
	}
	return c
}

// embark puts a strand in place of the socket.
func (c *conn) embark(strand *fiber.Conn) {
	c.strand = strand
	if c.link != nil {
		c.link.Conn = strand
	} else {
		c.Conn = strand
	}
}

func (t *target) add(c *conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.all[c] = struct{}{}
	t.live++
	return true
}

func (t *target) drop(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends(c)
	delete(t.all, c)
}
