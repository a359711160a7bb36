package fiber

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

// Owner hears of a connection what no Read or Write finds out. All of it runs on the loop and must not block.
type Owner interface {
	// Fetch: there is something to read from a connection at rest, or its end, and TryRead may read it now. Ready follows.
	Fetch()
	// Ready: there is something to read from a connection at rest, or its end, or was when Fetch was called. It is at rest
	// no more.
	Ready()
	// Expired: the deadline of a connection at rest has passed. It is at rest no more.
	Expired()
	// Left: the peer has ended his direction of the connection, or both.
	Left()
}

// Conn is a stream socket on a loop. One fiber at a time reads and writes it (Bind), or none: then it may be at rest. Close
// and the deadlines are for everybody.
type Conn struct {
	home   *Home
	owner  Owner
	local  net.Addr
	remote net.Addr
	key    loop.Key
	timer  loop.Timer

	fd     int // -1: not here any more
	fiber  *Fiber
	waits  waits
	armed  time.Duration // when the timer goes off; 0: never
	ended  bool          // the peer has ended his direction
	leaves bool          // so the owner is to be told
	blocks [2]bool       // the kernel has said EAGAIN and nothing else since

	fetched bool   // in this batch
	lender  Lender // of what the fiber waits to read into; nil: it has its own buffer
	posted  []byte // to be sent at the end of the batch
	done    result // of that, or of what was fetched into the lender's

	// Stall is how long a Write may wait for a peer who takes nothing, if there is no deadline; zero: as long as it takes.
	// It is set before the first.
	Stall time.Duration

	closed    atomic.Bool
	abrupt    atomic.Bool
	waiting   atomic.Bool // waits is not nothing
	deadlines [2]atomic.Int64
}

// Lender has a buffer for what has come.
type Lender interface{ Lend() []byte }

// result of a system call.
type result struct {
	n   int
	err error
}

// waits is what a connection waits for.
type waits int

const (
	nothing waits = iota
	reading
	writing
	posting
	rest
)

// Directions, as places in an array.
const (
	in = iota
	out
)

// SetReadDeadline may be called by anybody.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(in, t) }

// SetWriteDeadline may be called by anybody.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(out, t) }

// SetDeadline may be called by anybody.
func (c *Conn) SetDeadline(t time.Time) error {
	_ = c.setDeadline(in, t)
	return c.setDeadline(out, t)
}

func (c *Conn) setDeadline(direction int, t time.Time) error {
	at := int64(0)
	if !t.IsZero() {
		at = max(1, int64(loop.At(t)))
	}
	c.deadlines[direction].Store(at)
	if c.waiting.Load() {
		c.home.loop.Do(c.review)
	}
	return nil
}

// deadline of what it waits for; 0: none.
func (c *Conn) deadline() time.Duration {
	if c.waits == writing {
		return time.Duration(c.deadlines[out].Load())
	}
	return time.Duration(c.deadlines[in].Load())
}

func (c *Conn) passed(direction int) bool {
	at := time.Duration(c.deadlines[direction].Load())
	return at > 0 && at <= c.home.loop.Now()
}

// review looks at the deadline again.
func (c *Conn) review() {
	if c.waits == nothing {
		return
	}
	switch at := c.deadline(); {
	case at == 0:
	case at > c.home.loop.Now():
		c.arm(at)
	case c.waits == rest:
		c.wait(nothing)
		c.owner.Expired()
	default:
		c.resume()
	}
}

// arm sets the timer, unless it goes off soon enough: most deadlines are put off before they come.
func (c *Conn) arm(at time.Duration) {
	if c.armed == 0 || c.armed > at {
		c.armed = at
		c.home.loop.After(&c.timer, at-c.home.loop.Now())
	}
}

func (c *Conn) rang() {
	c.armed = 0
	c.review()
}

func (c *Conn) wait(w waits) {
	c.waits = w
	c.waiting.Store(w != nothing)
}

// ReadWithin sets the deadline of reads, from this turn of the loop on. It is for the fiber that has the connection, on the
// loop, or nobody.
func (c *Conn) ReadWithin(d time.Duration) {
	c.deadlines[in].Store(int64(c.home.loop.Now() + d))
}

// await ends the fiber's turn until there is something to read, or room to write, or the deadline, or the end.
func (c *Conn) await(w waits) {
	c.wait(w)
	if at := c.deadline(); at > 0 {
		c.arm(at)
	}
	c.fiber.await()
}

func (c *Conn) resume() {
	c.wait(nothing)
	c.fiber.resume()
}

// Home is where its loop's fibers are.
func (c *Conn) Home() *Home { return c.home }

// Loop is where it is.
func (c *Conn) Loop() *loop.Loop { return c.home.loop }

// Do has f called on the loop.
func (c *Conn) Do(f func()) { c.home.loop.Do(f) }

// Bind gives the connection to a fiber.
func (c *Conn) Bind(f *Fiber) { c.fiber = f }

// Rest gives it back to the loop, whose owner is told when there is something to read. It is for the fiber that has it, when
// Readable is false, and the last that it does with it.
func (c *Conn) Rest() {
	c.fiber = nil
	c.wait(rest)
	if at := c.deadline(); at > 0 {
		c.arm(at)
	}
}

// Readable says whether a Read may find something, the end too. It is for the loop.
func (c *Conn) Readable() bool { return !c.blocks[in] }

// Ended says whether the peer has ended his direction. It is for the loop.
func (c *Conn) Ended() bool { return c.ended }

// Close may be called by anybody. A Read or Write that waits returns.
func (c *Conn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	c.home.loop.Do(c.quit)
	return nil
}

// SetLinger makes Close reset the connection, whatever the number of seconds.
func (c *Conn) SetLinger(int) error {
	c.abrupt.Store(true)
	return nil
}

// LocalAddr is ours.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }
