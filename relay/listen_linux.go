package relay

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ListenConfig gives each accepted connection keep-alive, and an end to one whose peer takes nothing any more. Linux hands
// these options on from the listener, so that a connection costs none of the four calls that Go makes for it otherwise.
// Multipath TCP, Go's default for listeners, is left out: its sockets take fewer options, and nobody behind a published
// port speaks it.
func ListenConfig() *net.ListenConfig {
	c := &net.ListenConfig{KeepAlive: -1, Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		if outer := raw.Control(func(fd uintptr) { err = handedOn(int(fd)) }); outer != nil {
			return outer
		}
		return err
	}}
	c.SetMultipathTCP(false)
	return c
}

func handedOn(fd int) error {
	for _, option := range keepAlive(KeepAlive) {
		if err := set(fd, option); err != nil {
			return err
		}
	}
	return set(fd, sockopt{unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(Unacked / time.Millisecond)})
}
