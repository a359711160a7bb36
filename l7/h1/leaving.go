package h1

import (
	"net"
	"time"
)

// watch sees to it that somebody notices when the visitor leaves. It costs nothing once it has begun; a connection of one
// short request is spared it.
func (c *inbound) watch() {
	switch {
	case c.strand != nil: // the loop tells of it
		if c.strand.Ended() {
			c.Left()
		}
	case c.watched.Load():
	case c.served > 0:
		c.look()
	default:
		c.soon = time.AfterFunc(watchAfter, c.look)
	}
}

// look registers the connection. A visitor who has left before is noticed at once.
func (c *inbound) look() {
	if c.watched.CompareAndSwap(false, true) {
		c.server.watcher.add(c)
	}
}

// settled ends the wait of a first request that was short.
func (c *inbound) settled() {
	if c.soon != nil {
		c.soon.Stop()
		c.soon = nil
	}
}

func (c *inbound) unwatch() {
	c.ended.Store(true)
	c.settled()
	c.unregister()
}

func (c *inbound) unregister() {
	if c.watched.Swap(false) {
		c.server.watcher.remove(&c.token)
	}
}

func (c *inbound) watchedConn() (net.Conn, *uint64) { return c.socket, &c.token }

func (c *inbound) unwatchable() bool { return c.ended.Load() }

// left is told by the watcher. A visitor who ends only his own direction counts as gone, too: nobody can tell before
// something is sent to him, and nginx and net/http see it the same way.
func (c *inbound) left() { c.ctx.Leave(errLeft) }
