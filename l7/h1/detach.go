package h1

import (
	"net"
	"time"
)

// Detached is what the client goes on knowing of a connection that was detached: an app with such connections is not taken
// for dead because the kept ones have ended.
type Detached struct {
	target *target
	over   bool // guarded by the target's mutex
}

// Detach takes a connection that was handed over out of the client's hands, as the socket that it is. From then on it is
// the caller's to close when the target ends.
func (c *conn) Detach() (net.Conn, *Detached) {
	t := c.target
	t.client.watcher.remove(&c.token)
	t.mu.Lock()
	defer t.mu.Unlock()
	d := &Detached{target: t, over: c.over}
	c.over = true
	delete(t.all, c)
	return c.Conn, d
}

// Ended is to be told when the app has ended the connection: it may be the last sign of a death. It does not block.
func (d *Detached) Ended() {
	t := d.target
	if d.count() && t.lost() && t.client.Lost != nil {
		t.client.Lost(t.self)
	}
}

// Over is to be told when the connection has ended, whoever did it.
func (d *Detached) Over() { d.count() }

// count counts the connection out; false if it was already.
func (d *Detached) count() bool {
	d.target.mu.Lock()
	defer d.target.mu.Unlock()
	if d.over {
		return false
	}
	d.over = true
	d.target.live--
	return true
}

// lost says whether the app seems to be dead.
func (t *target) lost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live == 0 && t.omens.lost(time.Now())
}
