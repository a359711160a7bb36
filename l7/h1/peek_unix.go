//go:build linux || darwin || freebsd || netbsd || openbsd

package h1

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// peeker looks into a socket without waiting and without taking anything out.
type peeker struct {
	raw    syscall.RawConn
	look   func(fd uintptr) bool // made once: it would be an allocation each time
	silent bool
}

// newPeeker returns nil if there is no socket.
func newPeeker(c net.Conn) *peeker {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	p := &peeker{}
	p.raw, _ = socket.SyscallConn() // nil if it is closed already
	p.look = func(fd uintptr) bool {
		p.silent = silent(int32(fd))
		return true // never wait for more
	}
	return p
}

// quiet says whether there is nothing to read, neither a byte nor an end.
func (p *peeker) quiet() bool {
	p.silent = false
	return p.raw != nil && p.raw.Read(p.look) == nil && p.silent
}

func silent(fd int32) bool {
	for {
		one := [1]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}
		n, err := unix.Poll(one[:], 0)
		if !errors.Is(err, unix.EINTR) {
			return n == 0 && err == nil
		}
	}
}
