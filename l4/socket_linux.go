package l4

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

const tcpClosed = 7 // TCP_CLOSE in include/net/tcp_states.h

// isReset says whether the peer has reset the connection, without reading from it. One that only has ended its own
// direction waits for an answer.
func isReset(conn net.Conn) bool {
	if outer, ok := conn.(interface{ Unwrap() net.Conn }); ok {
		conn = outer.Unwrap()
	}
	raw, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	socket, err := raw.SyscallConn()
	if err != nil {
		return true
	}
	reset := false
	err = socket.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		reset = err == nil && info.State == tcpClosed
	})
	return reset || err != nil
}
