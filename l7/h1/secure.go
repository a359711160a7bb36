package h1

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/trust"
)

// HandshakeTimeout is how long an app that speaks TLS may take for its handshake.
const HandshakeTimeout = 10 * time.Second

var errHandshake = errors.New("no TLS handshake in " + HandshakeTimeout.String())

// resuming is a configuration with sessions to go on with. One is enough, as there is one name.
func resuming(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	own := config.Clone()
	own.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	return own
}

// shake puts TLS on a new connection, which it closes if it cannot.
func (t *target) shake(ctx context.Context, raw net.Conn) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, HandshakeTimeout, errHandshake)
	defer cancel()
	secure, err := trust.Shake(ctx, &Link{Conn: raw}, t.secure)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	return secure, nil
}

// idleUnderTLS says whether there is nothing to read, neither in what TLS has read already nor in the socket; it takes
// session tickets, which come when the app likes.
func (c *conn) idleUnderTLS() bool {
	if !c.link.mayTry() {
		return c.quietForAMoment()
	}
	var one [1]byte
	n, err := c.link.tryRead(c.Conn, one[:])
	return n == 0 && wouldWait(err)
}

// hangUp closes the connection at once. TLS's last word might have to wait, and whoever ends a connection must not.
func (c *conn) hangUp() { c.wire().Close() }

// farewell closes a connection that nobody uses. Many apps write a line about one that ends without TLS's last word.
func (c *conn) farewell() {
	switch {
	case c.link == nil:
		c.hangUp()
	case c.strand != nil:
		c.strand.Do(func() { c.strand.Home().Start(parting{c}) })
	default:
		go c.Conn.Close()
	}
}

// parting is TLS's last word on a loop.
type parting struct{ *conn }

// Run is what a fiber does with it.
func (p parting) Run(f *fiber.Fiber) {
	p.strand.Bind(f)
	p.Conn.Close()
}

// wire is the connection below TLS.
func (c *conn) wire() net.Conn {
	if c.link != nil {
		return c.link.Conn
	}
	return c.Conn
}
