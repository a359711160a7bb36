//go:build !linux

package h1

import (
	"errors"
	"net"
)

// poller does not exist here: an end is noticed when the connection is taken.
type poller struct{}

func newPoller() *poller { return nil }

func watchable(net.Conn) bool { return false }

func (*poller) add(net.Conn, uint64) error { return errors.ErrUnsupported }

func (*poller) wait() ([]uint64, error) { return nil, errors.ErrUnsupported }

func (*poller) close() {}
