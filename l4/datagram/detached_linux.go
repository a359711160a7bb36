package datagram

import (
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
	file := os.NewFile(uintptr(fd), "udp")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return -1, err
	}
	c.udp.Close() // a socket in two pollers would wake both
	c.raw, c.detached = raw, file
	return fd, nil
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
