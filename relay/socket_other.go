//go:build !linux

package relay

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// Acceptor is nobody's here: there are no loops, and so nobody has a Socket either.
type Acceptor struct{}

// Accept is nil: nothing has happened to the listener.
func Accept(*net.TCPListener, func(Socket), func(error, time.Duration)) (*Acceptor, error) {
	return nil, nil
}

func (*Acceptor) Close() {}

func (Socket) Close() {}

func (Socket) Conn() (net.Conn, error) { return nil, errors.ErrUnsupported }

func (Dialer) Join(context.Context, Socket, netip.AddrPort, bool, Options, func(Stats, error), func(error)) {
}
