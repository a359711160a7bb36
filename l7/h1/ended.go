package h1

import (
	"net"
	"slices"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
)

// ends counts a connection out; false if it was already. The mutex is held.
func (t *target) ends(c *conn) bool {
	if c.over {
		return false
	}
	c.over = true
	t.live--
	return true
}

// left is told by the watcher: the app has ended the connection, whoever has it now. A kept one is closed; who uses one
// finds out by himself.
func (t *target) left(c *conn) {
	idle, lost := t.bury(c, time.Now())
	if idle {
		c.kill(errStale)
	}
	if lost && t.client.Lost != nil {
		t.client.Lost(t.self)
	}
}

func (t *target) bury(c *conn, now time.Time) (idle, lost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ends(c) {
		return false, false
	}
	if i := slices.Index(t.idle, c); i >= 0 {
		t.idle = slices.Delete(t.idle, i, i+1)
		t.omens.ended(now.Sub(c.kept), c.learnt, now)
		t.taken = 0
		idle = true
	}
	return idle, t.live == 0 && t.omens.lost(now)
}

func (c *conn) watchedConn() (net.Conn, *uint64) { return c.wire(), &c.token }

func (c *conn) unwatchable() bool { return c.cause.Load() != nil }

func (c *conn) left() { c.target.left(c) }

// Left is told by the loop that the connection is on.
func (c *conn) Left() { c.left() }

// Fetch, Ready and Expired are told of connections at rest, which those to apps never are.
func (c *conn) Fetch()   {}
func (c *conn) Ready()   {}
func (c *conn) Expired() {}

// home is the loop that the connection is on; nil: none.
func (c *conn) home() *fiber.Home {
	if c.strand == nil {
		return nil
	}
	return c.strand.Home()
}

// join brings a new connection to the fiber's loop, and the fiber too.
func (c *conn) join(f *fiber.Fiber) error {
	f.Return()
	c.strand.Bind(f)
	err := c.strand.Add()
	if err != nil {
		c.kill(err)
	}
	return err
}
