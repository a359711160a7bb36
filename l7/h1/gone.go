package h1

import (
	"context"
	"sync/atomic"

	"github.com/fairlead/fairlead/relay/fiber"
)

// Gone is the context of a visitor's connection, over when he has left. A front end makes one for the connection and uses
// it for one exchange after the other: each would cost three allocations with any other context.
type Gone struct {
	context.Context
	cancel context.CancelCauseFunc
	fiber  *fiber.Fiber // that its exchange runs in; nil: a goroutine

	left     atomic.Bool          // or about to: each request asks, and the Context's own word is far away
	follower atomic.Pointer[conn] // is closed with it
}

// NewGone makes a context that is not over.
func NewGone() *Gone {
	g := &Gone{}
	g.Context, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// Err is the Context's.
func (g *Gone) Err() error {
	if !g.left.Load() {
		return nil
	}
	return g.Context.Err()
}

// Leave ends the context. The first cause counts.
func (g *Gone) Leave(cause error) {
	g.left.Store(true)
	g.cancel(cause)
	if c := g.follower.Swap(nil); c != nil {
		c.kill(context.Cause(g))
	}
}

// follow is false if another exchange follows already.
func (g *Gone) follow(c *conn) bool {
	free := g.follower.CompareAndSwap(nil, c)
	if free && g.Err() != nil {
		c.kill(context.Cause(g)) // it ended at the same moment
	}
	return free
}

// unfollow is false if the connection was closed, or is about to be.
func (g *Gone) unfollow(c *conn) bool { return g.follower.CompareAndSwap(c, nil) }

// follow lets the end of the context close the connection.
func (d *call) follow() {
	c, ctx := d.conn, d.ctx
	d.gone, d.stop = nil, nil
	if gone, ok := ctx.(*Gone); ok && gone.follow(c) {
		d.gone = gone
		return
	}
	if ctx.Done() != nil {
		d.stop = context.AfterFunc(ctx, func() { c.kill(context.Cause(ctx)) })
	}
}

// unfollow is false if the end of the context came first.
func (d *call) unfollow() bool {
	switch {
	case d.gone != nil:
		return d.gone.unfollow(d.conn)
	case d.stop != nil:
		return d.stop()
	}
	return true
}

// MayBlock says that what follows may wait for something else than the connections of the exchange whose context ctx is:
// the loop that it may be on goes on without it until it reads or writes again.
func MayBlock(ctx context.Context) { fiberOf(ctx).MayBlock() }

// MayBlockAlways is MayBlock for the rest of the exchange.
func MayBlockAlways(ctx context.Context) { fiberOf(ctx).Apart() }

func fiberOf(ctx context.Context) *fiber.Fiber {
	if gone, ok := ctx.(*Gone); ok {
		return gone.fiber
	}
	return nil
}
