package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// Prober makes attempts. The zero value dials over TCP.
type Prober struct {
	// Dial opens a connection. Nil means TCP; to a container's own address then with SO_DONTROUTE, since a stale one
	// must never lead out of the machine.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// DialUDP is Dial for UDP.
	DialUDP func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// Once makes one attempt; nil means that it passed. It returns within the check's timeout, or soon after ctx ends.
func (p Prober) Once(ctx context.Context, check Check) error {
	if err := check.Valid(); err != nil {
		return err
	}
	switch check.Kind {
	case UDP:
		return p.udp(ctx, check)
	case TCP:
		if check.converses() {
			return p.conversation(ctx, check)
		}
		return p.tcp(ctx, check)
	case HTTP:
		return p.http(ctx, check)
	case Speaks:
		return p.speaks(ctx, check)
	default:
		return health(ctx, check)
	}
}

// connect dials within the attempt's time.
func (p Prober) connect(ctx context.Context, check Check) (net.Conn, error) {
	if !check.Addr.IsValid() {
		return nil, ErrNoAddress
	}
	dial, network := p.Dial, "tcp"
	if check.Kind == UDP {
		dial, network = p.DialUDP, "udp"
	}
	if dial == nil {
		dial = dialer(network, check.Direct)
	}
	conn, err := dial(ctx, check.Addr)
	if err != nil {
		return nil, timely(ctx, err)
	}
	return conn, nil
}

func dialer(network string, direct bool) func(context.Context, netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{}
	if direct {
		d.Control = dontRoute
	}
	return func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
		return d.DialContext(ctx, network, addr.String())
	}
}

func dontRoute(_, _ string, raw syscall.RawConn) error {
	var set error
	err := raw.Control(func(fd uintptr) {
		set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_DONTROUTE, 1)
	})
	return errors.Join(err, set)
}

// closing ends a connection when ctx does, so that no read outlives its attempt.
func closing(ctx context.Context, conn net.Conn) (stop func()) {
	unwatch := context.AfterFunc(ctx, func() { conn.Close() })
	return func() {
		unwatch()
		conn.Close()
	}
}

// timely names the reason of a failure that only the end of ctx has brought about.
func timely(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ErrTimeout
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return err
	}
}
