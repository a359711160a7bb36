package h1

import (
	"net"
	goruntime "runtime"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/relay/loop"
)

// ParkAfter is how long a connection that a goroutine serves is idle before a loop takes it: a stack of some KiB, which a
// visitor who only keeps his connection open need not have. What brought it to a goroutine may well come again soon.
const ParkAfter = time.Second

// mayPark says whether the connection's goroutine can be given up. A loop sees what the socket has, and not what something
// that wraps it holds, unless that is TLS.
func (c *inbound) mayPark() bool {
	socket, ok := c.socket.(*net.TCPConn)
	return ok && (c.link != nil || c.conn == net.Conn(socket)) && goruntime.GOOS == "linux" && c.server.keepAliveTimeout() > c.server.parkAfter()
}

// park leaves the idle connection to a loop, and the caller has it no more. It is false if there is no loop, or if the
// connection was ended meanwhile. The loops begin with the first one: they take processors from the goroutines.
func (c *inbound) park() bool {
	loops := loop.Shared()
	if loops == nil || !c.phase.CompareAndSwap(idle, parked) {
		return false
	}
	strand, err := fiber.Of(loops.Pick()).Adopt(c.socket.(*net.TCPConn), c)
	if err != nil {
		return !c.phase.CompareAndSwap(parked, idle) // no descriptor is left, or it was dismissed
	}
	c.unregister()
	c.embark(strand, c.server.keepAliveTimeout()-c.server.parkAfter())
	return true
}

// dismiss ends a connection that was parked or, if alsoFresh is true, has said nothing yet. False if it is neither.
func (c *inbound) dismiss(alsoFresh bool) bool {
	if !c.phase.CompareAndSwap(parked, over) && !(alsoFresh && c.phase.CompareAndSwap(fresh, over)) {
		return false
	}
	c.mu.Lock()
	strand := c.strand
	c.mu.Unlock()
	if strand == nil {
		c.finish()
		return true
	}
	strand.Do(func() { strand.Home().Start(dismissed{c}) })
	return true
}
