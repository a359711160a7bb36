package relay

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// sharing has a socket ask for a port that others have (SO_REUSEPORT). They must have said that they share it, and do so
// only once they are open: who asks without, another process as we are, is still refused.
func sharing(c *net.ListenConfig) {
	before := c.Control
	c.Control = func(network, address string, raw syscall.RawConn) error {
		if err := reusePort(raw); err != nil {
			return err
		}
		return before(network, address, raw)
	}
}

func mayBeShared(conn *net.TCPListener) {
	if raw, err := conn.SyscallConn(); err == nil {
		_ = reusePort(raw) // without it, an address that overlaps is in use
	}
}

func reusePort(raw syscall.RawConn) error {
	var err error
	if outer := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }); outer != nil {
		return outer
	}
	return err
}
