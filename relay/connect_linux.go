package relay

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// Join connects to addr and joins a with it, as the function of that name does; direct is that of Dial. If it cannot
// connect, failed is called instead of done, and a is the caller's again, unread. All of it runs on loops.
func (d Dialer) Join(ctx context.Context, a Socket, addr netip.AddrPort, direct bool, o Options, done func(Stats, error), failed func(error)) {
	p := newPair(a.loop, a.fd, -1, o, done)
	p.failed = failed
	a.loop.Do(func() {
		if err := p.connect(ctx, d, addr, direct); err != nil {
			p.refuse(err)
		}
	})
}

func (p *pair) connect(ctx context.Context, d Dialer, addr netip.AddrPort, direct bool) error {
	fd, err := d.open(addr, direct)
	if err != nil {
		return err
	}
	p.b.fd = int32(fd)
	if err = unix.Connect(fd, sockaddr(addr)); err != nil && err != unix.EINPROGRESS {
		return os.NewSyscallError("connect", err)
	}
	if p.b.key, err = p.loop.Add(fd, &p.b); err != nil {
		return err
	}
	p.timer.Fire = func() { p.refuse(os.ErrDeadlineExceeded) }
	p.loop.After(&p.timer, cmp.Or(d.Timeout, DialTimeout))
	p.follow(ctx)
	return nil
}

// open makes a socket with all that must hold before the first packet leaves.
func (d Dialer) open(addr netip.AddrPort, direct bool) (int, error) {
	family := unix.AF_INET6
	if addr.Addr().Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	err = options(fd, cmp.Or(d.Unacked, Unacked), direct)
	for _, option := range keepAlive(cmp.Or(d.KeepAlive, KeepAlive)) {
		if err == nil {
			err = set(fd, option)
		}
	}
	if err == nil {
		err = set(fd, noDelay)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("set up a socket: %w", err)
	}
	return fd, nil
}

type sockopt struct{ level, name, value int }

var noDelay = sockopt{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1}

func set(fd int, option sockopt) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, option.level, option.name, option.value))
}

func keepAlive(every time.Duration) [4]sockopt {
	seconds := int((every + time.Second - 1) / time.Second)
	return [...]sockopt{
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, seconds},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveTry},
	}
}

func sockaddr(addr netip.AddrPort) unix.Sockaddr {
	if addr.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
}

// connected is the first news of B, good or bad. An app that has accepted and reset is one that was connected.
func (p *pair) connected(events loop.Events) {
	if events&loop.Failed != 0 {
		code, err := unix.GetsockoptInt(int(p.b.fd), unix.SOL_SOCKET, unix.SO_ERROR)
		if err == nil && code != 0 && unix.Errno(code) != unix.ECONNRESET {
			err = unix.Errno(code)
		}
		if err != nil {
			p.refuse(os.NewSyscallError("connect", err))
			return
		}
	}
	p.failed = nil
	p.loop.Stop(&p.timer)
	p.timer.Fire = nil
	var err error
	if p.a.key, err = p.loop.Add(int(p.a.fd), &p.a); err != nil {
		p.fail(err)
		return
	}
	p.begin()
}

// refuse gives A back.
func (p *pair) refuse(err error) {
	failed := p.failed
	p.failed = nil
	p.stop()
	if p.b.fd >= 0 {
		unix.Close(int(p.b.fd))
	}
	failed(err)
}
