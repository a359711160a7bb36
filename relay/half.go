package relay

import "net"

// CloseWrite tells the peer that nothing more comes, and lets it go on talking. A connection that has no half to close is
// closed as a whole.
func CloseWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
