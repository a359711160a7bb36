package h1

import (
	"crypto/tls"
	"net"

	"github.com/fairlead/fairlead/relay/fiber"
)

// Link is a connection below TLS. With one, a TLS connection can move to an event loop after its handshake.
type Link struct {
	net.Conn
	hasty bool // a Read must not wait
}

// Read fails instead of waiting if it must not. TLS does not mind: such an error is Temporary.
func (l *Link) Read(p []byte) (int, error) {
	if strand, ok := l.Conn.(*fiber.Conn); ok && l.hasty {
		return strand.TryRead(p)
	}
	return l.Conn.Read(p)
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
