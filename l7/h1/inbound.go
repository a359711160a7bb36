package h1

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/relay/loop"
)

// inbound is one connection of a visitor, served by one goroutine or, on a loop (onloop.go), by one fiber. While it is idle
// it holds no buffer, and after a moment no goroutine.
type inbound struct {
	server *Server
	conn   net.Conn
	socket net.Conn    // below TLS
	link   *Link       // between them, if the socket can be another one
	strand *fiber.Conn // the socket, if it is on a loop
	remote string
	tls    *tls.ConnectionState
	ctx    *Gone

	raw      syscall.RawConn // of a plain socket
	try      func(fd uintptr) bool
	first    [1]byte
	in       *Incoming // nil while idle
	err      error
	deadline time.Time // of reads, as it was set last
	hastened time.Time // when the deadline of writes was
	served   int       // requests

	phase   atomic.Int32
	ended   atomic.Bool
	token   uint64 // the watcher's
	handed  bool   // the connection is another one's now
	watched atomic.Bool
	soon    *time.Timer // begins the watch under the first request
	gone    loop.Timer  // on a loop, in place of it

	mu     sync.Mutex // guards conn, socket and strand, for those who do not have the connection, and the field below
	closed bool
}

// Phases of a connection. Whoever moves it out of fresh or idle first decides whether another request is read.
const (
	fresh int32 = iota // no byte came yet
	idle
	parked // idle, without a goroutine or fiber
	busy
	over
)

var (
	errServerClosed = errors.New("the server is closed")
	errLeft         = errors.New("the visitor has left")
)

const (
	// watchAfter is how long a connection's first request may take before somebody looks whether its visitor is still
	// there: most connections of one request end sooner.
	watchAfter = 100 * time.Millisecond
	// lastCall is how long a head or a first request may still come when the server is leaving.
	lastCall = time.Second
)

func newInbound(s *Server, conn net.Conn) *inbound {
	c := &inbound{server: s, conn: conn, socket: socketOf(conn), link: linkOf(conn), ctx: NewGone()}
	c.raw = plainSocket(conn)
	c.try = c.readNow
	return c
}

// step is what follows.
type step int

const (
	goOn step = iota // with a request
	stop             // the connection ends here
	away             // the connection is on its way to somebody else, and not to be touched
)

// serve is the life of a connection.
func (c *inbound) serve() {
	next := stop
	defer c.end(&next)
	if c.begin() {
		next = c.converse()
	}
}

// resume goes on with it in another goroutine or fiber.
func (c *inbound) resume() {
	next := stop
	defer c.end(&next)
	next = c.converse()
}

// converse answers requests until there is none.
func (c *inbound) converse() step {
	next := c.await()
	for next == goOn {
		if next = c.request(); next == goOn {
			next = c.await()
		}
	}
	if next == stop && c.in != nil {
		c.release()
	}
	return next
}

// begin shakes hands, if that is still to be done.
func (c *inbound) begin() bool {
	c.within(c.server.headerTimeout())
	c.remote = c.conn.RemoteAddr().String() // may wait for a PROXY header
	secure, ok := c.conn.(interface {
		HandshakeContext(context.Context) error
		ConnectionState() tls.ConnectionState
	})
	if !ok {
		return true
	}
	if secure.HandshakeContext(c.ctx) != nil {
		return false
	}
	state := secure.ConnectionState()
	c.tls = &state
	return true
}

// end is deferred by each goroutine and fiber that has the connection.
func (c *inbound) end(next *step) {
	if *next == away {
		return
	}
	if p := recover(); p != nil {
		LogPanic(c.server.log(), p)
		c.reset()
	}
	c.finish()
}

func (c *inbound) finish() {
	c.unwatch()
	if !c.handed {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.conn.Close()
	}
	c.ctx.Leave(errLeft)
	c.server.exit(c)
}

// await returns when a byte of a request is there, or none will come, or the connection is left to a loop.
func (c *inbound) await() step {
	c.ctx.fiber.Return()
	switch {
	case c.in != nil:
		return c.busy() // it came with the request before, or was fetched
	case c.strand != nil:
		return c.awaitOnLoop()
	}
	mayPark := c.served > 0 && c.mayPark()
	if c.served > 0 {
		c.phase.Store(idle)
		if c.server.leaving.Load() {
			return stop
		}
		if mayPark {
			c.within(c.server.parkAfter())
		} else {
			c.within(c.server.keepAliveTimeout())
		}
	}
	err := c.firstBytes()
	if mayPark && errors.Is(err, os.ErrDeadlineExceeded) {
		if c.park() {
			return away
		}
		c.within(c.server.keepAliveTimeout() - c.server.parkAfter())
		err = c.firstBytes()
	}
	if next := c.busy(); err == nil {
		return next
	}
	return stop
}

// busy begins a request.
func (c *inbound) busy() step {
	if c.phase.Swap(busy) == over {
		return stop
	}
	return goOn
}

// firstBytes borrows a buffer only when there is something to put in.
func (c *inbound) firstBytes() error {
	if c.raw != nil {
		if err := c.raw.Read(c.try); err != nil {
			return err
		}
		return c.err
	}
	n, err := c.conn.Read(c.first[:])
	if n > 0 {
		c.in = c.server.borrow(c)
		c.in.filled = copy(c.in.buf, c.first[:n])
		return nil
	}
	return err
}

// readNow is called when the socket has become readable, or may have.
func (c *inbound) readNow(fd uintptr) bool {
	c.in = c.server.borrow(c)
	c.in.filled, c.err = readFD(fd, c.in.buf)
	if c.in.filled > 0 {
		return true
	}
	c.release()
	if errors.Is(c.err, syscall.EAGAIN) {
		return false
	}
	if c.err == nil {
		c.err = io.EOF
	}
	return true
}

// release gives the buffers back.
func (c *inbound) release() {
	c.server.giveBack(c.in)
	c.in = nil
}

// request reads a head and has it answered.
func (c *inbound) request() step {
	slow := false
	for {
		n, err := c.in.head.parse(c.in.buf[:c.in.filled])
		if err == nil {
			return c.answer(n)
		}
		if err != errMore {
			return c.differ(err)
		}
		if !slow && c.served > 0 {
			c.within(c.server.headerTimeout())
		}
		slow = true
		if !c.more() {
			return stop
		}
	}
}

// more reads more of a head.
func (c *inbound) more() bool {
	c.in.grow()
	n, err := c.conn.Read(c.in.buf[c.in.filled:])
	c.in.filled += n
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && !c.server.leaving.Load() {
		c.refuse(errSlowHeader)
	}
	return n > 0
}

// answer has a request answered whose head is n bytes long.
func (c *inbound) answer(n int) step {
	c.in.begin(n)
	if c.strand != nil && !c.in.suitsLoop() {
		return c.leaveLoop()
	}
	c.watch()
	c.server.Handler(c.ctx, c.in)
	c.ctx.fiber.Together()
	c.served++
	c.settled()
	return c.settle()
}

// settle leaves the connection to the next request, or says that there is none.
func (c *inbound) settle() step {
	in := c.in
	switch {
	case in.handed:
		c.handed = true
		return stop
	case !in.finished || in.failed:
		if in.started && in.ending == byClose {
			c.reset()
		}
		return stop
	case !in.body.over():
		c.linger()
		return stop
	case in.closing:
		if in.at < in.filled {
			c.linger()
		}
		return stop
	}
	if in.hasBody {
		c.deadline = time.Time{} // the body's reader has set its own
	}
	if in.next() == 0 {
		c.release()
	}
	return goOn
}

// slack is the part of its patience that a deadline may lack.
const slack = 8

// within sets the deadline of reads, unless the one that is set is near enough: a timer costs more than that is worth.
func (c *inbound) within(d time.Duration) {
	if c.strand != nil {
		c.strand.ReadWithin(d)
		return
	}
	at := time.Now().Add(d)
	if off := at.Sub(c.deadline); off >= 0 && off < d/slack {
		return
	}
	c.deadline = at
	_ = c.conn.SetReadDeadline(at)
}

// hasten sets the deadline of writes, unless it was set a moment ago. A loop sees to it by itself.
func (c *inbound) hasten() {
	if c.strand != nil {
		return
	}
	stall := c.server.stallTimeout()
	if now := time.Now(); now.Sub(c.hastened) > stall/slack {
		c.hastened = now
		_ = c.conn.SetWriteDeadline(now.Add(stall))
	}
}

// close is for those who do not have the connection. On a loop there is nobody who could say TLS's last word for them.
func (c *inbound) close() {
	c.mu.Lock()
	conn := c.conn
	if c.strand != nil {
		conn = c.strand
	}
	c.closed = true
	c.mu.Unlock()
	conn.Close()
}

// hurry ends a connection that is idle, and one that has said nothing yet soon. Others end after their answer.
func (c *inbound) hurry() {
	switch {
	case c.phase.CompareAndSwap(idle, over):
		c.close()
	case c.dismiss(false):
	case c.phase.Load() == fresh:
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = c.socket.SetReadDeadline(time.Now().Add(lastCall))
	}
}
