package h1

import (
	"crypto/tls"
	"net"

	"github.com/fairlead/fairlead/relay/fiber"
)

// Link is a connection below TLS. With one, a TLS connection can move to an event loop after its handshake.
type Link struct {
	net.Conn
	hasty   bool // a Read must not wait
	passed  records
	drained bool // TLS holds nothing that it has not given
}

// Read fails instead of waiting if it must not. TLS does not mind: such an error is Temporary.
func (l *Link) Read(p []byte) (n int, err error) {
	if strand, ok := l.Conn.(*fiber.Conn); ok && l.hasty {
		n, err = strand.TryRead(p)
	} else {
		l.drained = false
		n, err = l.Conn.Read(p)
	}
	l.passed.pass(p[:n])
	return n, err
}

// tryRead is a Read of the TLS above that does not wait. Where it finds that TLS holds nothing any more, whoever asks next
// can wait for the socket alone: one record that came and was given whole has left nothing, and neither has a want of more
// between two records.
func (l *Link) tryRead(above net.Conn, p []byte) (int, error) {
	l.hasty, l.passed.whole = true, 0
	n, err := above.Read(p)
	l.hasty = false
	one := l.drained && l.passed.whole == 1 && n > 0 && n < len(p)
	l.drained = l.passed.between() && (one || fiber.WouldBlock(err))
	return n, err
}

// NetConn is the connection below, for those who look for a socket.
func (l *Link) NetConn() net.Conn { return l.Conn }

// linkOf is what a TLS connection stands on; nil if it is none, or stands on something else.
func linkOf(conn net.Conn) *Link {
	if secure, ok := conn.(*tls.Conn); ok {
		link, _ := secure.NetConn().(*Link)
		return link
	}
	return nil
}
