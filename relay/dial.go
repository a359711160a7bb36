package relay

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Defaults of a Dialer.
const (
	DialTimeout  = 5 * time.Second
	KeepAlive    = 30 * time.Second
	keepAliveTry = 3
	// Unacked is the default of Dialer.Unacked: what keep-alive takes to find a dead peer of an idle connection.
	Unacked = (1 + keepAliveTry) * KeepAlive
)

// Dialer opens connections to replicas. Its zero value is ready for use.
type Dialer struct {
	Timeout   time.Duration // of one dial; zero means DialTimeout
	KeepAlive time.Duration // silence before a probe, and between its three tries; zero means KeepAlive
	// Unacked closes a connection whose peer has not taken what was written for so long (TCP_USER_TIMEOUT, Linux): a
	// cable pulled in the middle of a transfer. A peer that is alive, but reads nothing at all, counts as well. Zero
	// means the default, negative leaves it to the kernel (about 15 minutes).
	Unacked time.Duration
}

// Dial connects to addr. Direct says that addr is the container's own: such a dial never takes a gateway, because
// the address may be stale, its bridge gone, and the default route would carry the request to a stranger who answers.
func (d Dialer) Dial(ctx context.Context, addr netip.AddrPort, direct bool) (*net.TCPConn, error) {
	every := cmp.Or(d.KeepAlive, KeepAlive)
	dialer := net.Dialer{
		Timeout: cmp.Or(d.Timeout, DialTimeout),
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: every, Interval: every, Count: keepAliveTry,
		},
		Control: func(_, _ string, raw syscall.RawConn) error {
			return control(raw, cmp.Or(d.Unacked, Unacked), direct)
		},
	}
	// Not DialTCP: it binds to port 0 first, and then all replicas share one set of client ports, which runs out under
	// load. Left to connect(2), each replica has them all.
	conn, err := dialer.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}
