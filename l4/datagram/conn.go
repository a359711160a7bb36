package datagram

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Conn is a UDP socket. Receive is for one goroutine at a time, Send for any number.
type Conn struct {
	udp   *net.UDPConn
	raw   syscall.RawConn
	six   bool         // an AF_INET6 socket, which may speak IPv4 as well
	limit atomic.Int64 // the largest datagrams of which several go into one message
	receiving

	detached *os.File // instead of udp; nil: it is in Go's poller
}

// wanted is how much the kernel may queue for a socket; it gives less where net.core.rmem_max says so and we are not root.
const wanted = 4 << 20

// Listen opens a socket at HOST:PORT. A socket for every address tells of each datagram which of them it came to.
func Listen(ctx context.Context, address string) (*Conn, error) {
	return bound(ctx, address, &net.ListenConfig{})
}

// ListenBeside is Listen for an address that overlaps with that of another Conn of this process, which is about to be
// closed: until then some datagrams go to the one and some to the other. Elsewhere than on Linux the address is in use.
func ListenBeside(ctx context.Context, address string) (*Conn, error) {
	return bound(ctx, address, &net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return share(raw) }})
}

// Beside opens another socket at the address of one that listens. The kernel shares clients out among those that there are,
// each with all its datagrams to one of them; some of them to another when there are more or fewer.
func (c *Conn) Beside() (*Conn, error) {
	return ListenBeside(context.Background(), c.LocalAddr().String())
}

func bound(ctx context.Context, address string, how *net.ListenConfig) (*Conn, error) {
	packets, err := how.ListenPacket(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	udp := packets.(*net.UDPConn)
	if raw, err := udp.SyscallConn(); err == nil {
		_ = share(raw) // only now: who asks for the port without is refused
	}
	everywhere := udp.LocalAddr().(*net.UDPAddr).IP.IsUnspecified()
	return made(udp, everywhere)
}

// Dial opens a socket that speaks with one peer and is told when nobody listens there. Direct says that to is a
// container's own address: what is sent there never takes a gateway, because the address may be stale.
func Dial(to netip.AddrPort, direct bool) (*Conn, error) {
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		if !direct {
			return nil
		}
		return linkOnly(raw)
	}}
	conn, err := dialer.Dial("udp", to.String())
	if err != nil {
		return nil, err
	}
	return made(conn.(*net.UDPConn), false)
}

func made(udp *net.UDPConn, everywhere bool) (*Conn, error) {
	raw, err := udp.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &Conn{udp: udp, raw: raw}
	c.limit.Store(anySize)
	if err := c.setUp(everywhere); err != nil {
		udp.Close()
		return nil, fmt.Errorf("set up the socket: %w", err)
	}
	c.enlarge()
	return c, nil
}

// LocalAddr is where the socket is bound.
func (c *Conn) LocalAddr() net.Addr { return c.udp.LocalAddr() }

// SetReadDeadline ends a Receive with os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.udp.SetReadDeadline(t) }

// Close ends a Receive with net.ErrClosed.
func (c *Conn) Close() error {
	if c.detached != nil {
		return c.detached.Close()
	}
	return c.udp.Close()
}

// Refused says whether an error is the peer's host telling that nobody listens.
func Refused(err error) bool { return isErrno(err, syscall.ECONNREFUSED) }

// failure names the call that failed.
func failure(call string, errno syscall.Errno) error { return os.NewSyscallError(call, errno) }
