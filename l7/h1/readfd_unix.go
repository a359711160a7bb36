//go:build linux || darwin || freebsd || netbsd || openbsd

package h1

import (
	"errors"
	"net"
	"syscall"
)

// plainSocket returns what a socket can be waited for with, nil if there is none or something wraps it.
func plainSocket(conn net.Conn) syscall.RawConn {
	var raw syscall.RawConn
	switch socket := conn.(type) {
	case *net.TCPConn:
		raw, _ = socket.SyscallConn()
	case *net.UnixConn:
		raw, _ = socket.SyscallConn()
	}
	return raw
}

func readFD(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), p)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
