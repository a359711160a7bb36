package h1

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/fairlead/fairlead/relay/fiber"
)

// Link is a connection below TLS. With one, a TLS connection can move to an event loop after its handshake, and can be asked
// whether there is something to read.
type Link struct {
	net.Conn
	hasty   bool // a Read must not wait
	passed  records
	drained bool // TLS holds nothing that it has not given
}

// Read fails instead of waiting if it must not. TLS does not mind: such an error is Temporary.
func (l *Link) Read(p []byte) (n int, err error) {
	strand, onLoop := l.Conn.(*fiber.Conn)
	switch {
	case l.hasty && onLoop:
		n, err = strand.TryRead(p)
	case l.hasty:
		n, err = readNow(l.Conn, p)
	default:
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

// mayTry says whether the connection can be read from in haste.
func (l *Link) mayTry() bool {
	_, onLoop := l.Conn.(*fiber.Conn)
	return onLoop || plainSocket(l.Conn) != nil
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

// readNow is a Read of a socket that does not wait.
func readNow(conn net.Conn, p []byte) (n int, err error) {
	failed := plainSocket(conn).Read(func(fd uintptr) bool {
		n, err = readFD(fd, p)
		return true
	})
	switch {
	case failed != nil:
		return 0, failed
	case n == 0 && err == nil:
		return 0, io.EOF
	}
	return n, err
}

// wouldWait says whether a Read in haste has failed because it would have had to wait.
func wouldWait(err error) bool { return fiber.WouldBlock(err) || errors.Is(err, syscall.EAGAIN) }
