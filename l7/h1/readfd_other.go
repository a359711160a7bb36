//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package h1

import (
	"errors"
	"net"
	"syscall"
)

func plainSocket(net.Conn) syscall.RawConn { return nil }

func readFD(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
