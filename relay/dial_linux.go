package relay

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// control sets what must hold before the first packet leaves.
func control(raw syscall.RawConn, unacked time.Duration, direct bool) error {
	var err error
	outer := raw.Control(func(fd uintptr) { err = options(int(fd), unacked, direct) })
	if outer != nil {
		return outer
	}
	return err
}

func options(fd int, unacked time.Duration, direct bool) error {
	if direct {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DONTROUTE, 1); err != nil {
			return fmt.Errorf("set SO_DONTROUTE: %w", err)
		}
	}
	if unacked > 0 {
		ms := int(unacked / time.Millisecond)
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, ms); err != nil {
			return fmt.Errorf("set TCP_USER_TIMEOUT: %w", err)
		}
	}
	return nil
}
