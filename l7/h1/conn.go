package h1

import (
	"cmp"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/trust"
)

// conn is one connection to a target. Whoever took it or dialled it owns it, until it is kept again or killed; the
// target's end, the context's and the idle limit may kill it at any time. While it is idle it holds no buffer. After a 101 it is the caller's net.Conn.
type conn struct {
	net.Conn
	target  *target
	strand  *fiber.Conn           // Conn, or what is below TLS, if it is on a loop
	link    *Link                 // below TLS, which is Conn then
	cause   atomic.Pointer[error] // why we closed it ourselves
	peeker  *peeker               // nil without a socket, and below TLS
	asker   *asker                // nil without a plain socket
	reused  bool
	trusted bool          // the app has not ended a kept one for long
	learnt  time.Duration // the app's own idle limit; 0 if it did not say, negative if it keeps none
	token   uint64        // the watcher's

	// Guarded by the target's mutex:
	kept  time.Time // since when it is idle
	until time.Time // the idle limit
	over  bool      // the app has ended it, or it was closed
}

var (
	errStale     = errors.New("connection is not kept")
	errCancelled = errors.New("response was closed before its end")
)

// kill closes the connection. The first cause is what its users are told.
func (c *conn) kill(cause error) {
	c.leave(cause)
	c.hangUp()
}

// discard is kill for one that nobody uses.
func (c *conn) discard() {
	c.leave(errStale)
	c.farewell()
}

func (c *conn) leave(cause error) {
	c.cause.CompareAndSwap(nil, &cause)
	c.target.drop(c)
	c.target.client.watcher.remove(&c.token)
}

// Close ends a connection that was handed over.
func (c *conn) Close() error {
	c.kill(net.ErrClosed)
	return nil
}

// Read tells why the connection ended, if that was our doing.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.explain(err)
}

// Write is like Read.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.explain(err)
}

func (c *conn) explain(err error) error {
	if err == nil {
		return nil
	}
	if cause := c.cause.Load(); cause != nil {
		return *cause
	}
	if c.link != nil {
		return trust.Explain(err)
	}
	return err
}

// CloseWrite hands on the end of one direction.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// NetConn is the connection below, for those who look for a socket.
func (c *conn) NetConn() net.Conn { return c.Conn }

// learn notes the idle limit that the app announces: a member of `Keep-Alive: timeout=5, max=100`.
func (c *conn) learn(member string) {
	name, value, _ := strings.Cut(member, "=")
	if !strings.EqualFold(name, "timeout") {
		return
	}
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 && seconds < 1<<20 {
		c.learnt = cmp.Or(time.Duration(seconds)*time.Second, -1)
	}
}

// below keeps a limit under the app's own, so that a request seldom meets a connection that is being closed. An app's
// limit of 0 is none, a negative one keeps nothing.
func below(limit, app time.Duration) time.Duration {
	switch {
	case app == 0:
		return limit
	case app < 0:
		return 0
	}
	return min(limit, app-min(4*time.Second, app/2))
}

// noResponse says whether the app's end has closed the connection.
func noResponse(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
