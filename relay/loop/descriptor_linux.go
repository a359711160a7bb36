package loop

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dup returns another descriptor of the socket: net keeps its own, and it is in the runtime's poller.
func Dup(conn syscall.Conn) (fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	outer := raw.Control(func(own uintptr) { fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	if outer != nil {
		return -1, outer
	}
	return fd, os.NewSyscallError("fcntl", err)
}

// Conn makes a connection of a socket, which it owns.
func Conn(fd int) (net.Conn, error) {
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	return net.FileConn(file)
}
