package datagram

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// linkOnly keeps what is sent to a container on the link (DESIGN of reach: a stale address must not leave the machine).
func linkOnly(raw syscall.RawConn) error {
	return control(raw, func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DONTROUTE, 1) })
}

// share lets others have the port who ask for it so, or asks for it so (SO_REUSEPORT).
func share(raw syscall.RawConn) error {
	return control(raw, func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
}

func control(raw syscall.RawConn, f func(fd int) error) error {
	var err error
	if outer := raw.Control(func(fd uintptr) { err = f(int(fd)) }); outer != nil {
		return outer
	}
	return err
}

func (c *Conn) setUp(everywhere bool) error {
	c.try = c.tryRead
	c.once = func(fd uintptr) { c.tryRead(fd) }
	return control(c.raw, func(fd int) error {
		domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
		if err != nil {
			return err
		}
		c.six = domain == unix.AF_INET6
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) // since Linux 5.0; it only spares work
		if !everywhere {
			return nil
		}
		if c.six { // of IPv4 datagrams, too: the address is a mapped one then
			return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO, 1)
		}
		return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1)
	})
}

// enlarge makes the queue larger than net.core.rmem_max allows, if we may (CAP_NET_ADMIN).
func (c *Conn) enlarge() {
	_ = control(c.raw, func(fd int) error {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, wanted) == nil {
			return nil
		}
		return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, wanted)
	})
}
