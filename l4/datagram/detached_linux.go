package datagram

import (
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// Detach takes the socket out of Go's poller, for a loop that waits for its descriptor; then Try reads, not Receive, and
// there are no deadlines. The descriptor is the Conn's to close, after the loop has let go of it. It must not be called
// while the Conn is in use. After an error the Conn is as it was.
func (c *Conn) Detach() (fd int, err error) {
	err = control(c.raw, func(own int) error {
		fd, err = unix.FcntlInt(uintptr(own), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	_ = unix.SetNonblock(fd, false) // os would put it into the poller again; no call of ours waits, all the same
	udp := c.udp
	if err := c.detach(fd); err != nil {
		return -1, err
	}
	udp.Close() // a socket in two pollers would wake both
	return fd, nil
}

// detach gives the Conn a descriptor that is not in Go's poller, or closes that.
func (c *Conn) detach(fd int) error {
	file := os.NewFile(uintptr(fd), "udp")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return err
	}
	c.raw, c.detached = raw, file
	return nil
}

// DialDetached is Dial and Detach with half of their system calls: the socket never is in Go's poller.
func DialDetached(to netip.AddrPort, direct bool) (c *Conn, fd int, err error) {
	fd, err = unix.Socket(familyOf(to), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, -1, os.NewSyscallError("socket", err)
	}
	c = &Conn{}
	if err := c.detach(fd); err != nil {
		return nil, -1, err
	}
	if err := c.dial(fd, to, direct); err != nil {
		c.Close()
		return nil, -1, err
	}
	return c, fd, nil
}

func (c *Conn) dial(fd int, to netip.AddrPort, direct bool) error {
	c.limit.Store(anySize)
	if direct {
		if err := linkOnly(c.raw); err != nil {
			return err
		}
	}
	if err := unix.Connect(fd, sockaddr(to)); err != nil {
		return os.NewSyscallError("connect", err)
	}
	if err := c.setUp(false); err != nil {
		return err
	}
	c.enlarge()
	return nil
}

func familyOf(to netip.AddrPort) int {
	if to.Addr().Unmap().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

func sockaddr(to netip.AddrPort) unix.Sockaddr {
	ip := to.Addr().Unmap()
	if ip.Is4() {
		return &unix.SockaddrInet4{Port: int(to.Port()), Addr: ip.As4()}
	}
	return &unix.SockaddrInet6{Port: int(to.Port()), Addr: ip.As16(), ZoneId: AddrOf(to).scope}
}

// Try returns what is there, nil if nothing is.
func (c *Conn) Try() (*Batch, error) {
	if err := c.raw.Control(c.once); err != nil {
		return nil, err
	}
	if c.got == nil && c.errno == unix.EAGAIN {
		return nil, nil
	}
	return c.taken()
}
