package h1

import (
	"net"
	"time"
)

const (
	lingerFor   = 5 * time.Second
	lingerQuiet = time.Second
)

// linger lets the visitor read the answer that ends the connection before it ends: what he is still sending would turn
// the end into a reset, and that may destroy the answer (RFC 9112, section 9.6).
func (c *inbound) linger() {
	half, ok := c.socket.(interface{ CloseWrite() error })
	if !ok {
		return
	}
	if secure, ok := c.conn.(interface{ CloseWrite() error }); ok && c.tls != nil {
		_ = secure.CloseWrite() // its own last word comes first
	}
	if half.CloseWrite() != nil {
		return
	}
	buffer := c.in.buf
	for until := time.Now().Add(lingerFor); time.Now().Before(until); {
		if c.socket.SetReadDeadline(time.Now().Add(lingerQuiet)) != nil {
			return
		}
		if _, err := c.socket.Read(buffer); err != nil {
			return
		}
	}
}

// reset ends the connection such that nobody takes what was sent for complete.
func (c *inbound) reset() {
	if socket, ok := c.socket.(interface{ SetLinger(int) error }); ok {
		_ = socket.SetLinger(0)
	}
	c.socket.Close()
}

// socketOf is the connection below what wraps it.
func socketOf(conn net.Conn) net.Conn {
	for {
		switch outer := conn.(type) {
		case interface{ NetConn() net.Conn }:
			conn = outer.NetConn()
		case interface{ Raw() net.Conn }: // a PROXY header was taken off
			conn = outer.Raw()
		default:
			return conn
		}
	}
}

// unread is a connection of which the first bytes were read already.
type unread struct {
	net.Conn
	early []byte
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.early) == 0 {
		return u.Conn.Read(p)
	}
	n := copy(p, u.early)
	u.early = u.early[n:]
	return n, nil
}

// NetConn is the connection below, for those who look for a socket.
func (u *unread) NetConn() net.Conn { return u.Conn }

// CloseWrite hands on the end of one direction.
func (u *unread) CloseWrite() error {
	if half, ok := u.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return u.Close()
}
