package relay

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// Acceptor accepts the connections of a listener on all loops.
type Acceptor struct {
	take    func(Socket)
	trouble func(err error, pause time.Duration)
	fd      int
	parts   []*part
}

// Accept begins to accept. Take gets every connection, and trouble every error: a connection that was reset in the queue,
// or no descriptor left, which the next connection to end gives back (case B211). Both run on a loop and must not block.
// The listener is the acceptor's then, and closed: its socket lives on. Nil where there are no loops, and nothing has
// happened.
func Accept(listener *net.TCPListener, take func(Socket), trouble func(err error, pause time.Duration)) (*Acceptor, error) {
	loops := loop.Shared()
	if loops == nil {
		return nil, nil
	}
	fd, err := loop.Dup(listener)
	if err != nil {
		return nil, fmt.Errorf("take over a listener: %w", err)
	}
	inherit(fd)
	a := &Acceptor{take: take, trouble: trouble, fd: fd}
	added := make(chan error, 1)
	for _, l := range loops.All() {
		p := &part{acceptor: a, loop: l, pause: FirstPause}
		p.timer.Fire = func() { p.Ready(0) }
		l.Do(func() {
			var err error
			p.key, err = l.AddShared(fd, p)
			added <- err
		})
		if err := <-added; err != nil {
			a.Close()
			return nil, err
		}
		a.parts = append(a.parts, p)
	}
	listener.Close() // a socket in two pollers would wake both
	return a, nil
}

// inherit sets what the kernel hands on to every connection that is accepted.
func inherit(fd int) {
	_ = set(fd, noDelay) // each is of use without the others
	for _, option := range keepAlive(KeepAlive) {
		_ = set(fd, option)
	}
}

// Close returns when nothing is accepted any more. Whoever has connected by then is still taken: closing a listener resets
// what waits in its queue. It must not be called on a loop.
func (a *Acceptor) Close() {
	if len(a.parts) == 0 {
		unix.Close(a.fd)
		return
	}
	done := make(chan struct{})
	for i, p := range a.parts {
		p.loop.Do(func() {
			p.leave()
			if i == len(a.parts)-1 {
				p.rest()
				unix.Close(a.fd)
			}
			done <- struct{}{}
		})
		<-done
	}
}

// part is what one loop does of it.
type part struct {
	acceptor *Acceptor
	loop     *loop.Loop
	key      loop.Key
	timer    loop.Timer
	pause    time.Duration
	closed   bool
	address  unix.RawSockaddrInet6
	length   uint32
}

// mostAccepts in a row, before connections that are open have their turn.
const mostAccepts = 32

func (p *part) Ready(loop.Events) {
	for range mostAccepts {
		if p.closed {
			return
		}
		socket, errno := p.accept()
		switch errno {
		case 0:
			p.pause = FirstPause
			p.acceptor.take(socket)
		case unix.EAGAIN:
			return
		case unix.EINTR:
		default:
			p.acceptor.trouble(os.NewSyscallError("accept", errno), p.pause)
			p.loop.After(&p.timer, p.pause)
			p.pause = min(2*p.pause, LongestPause)
			return
		}
	}
	p.loop.Again(p.key)
}

func (p *part) leave() {
	p.loop.Stop(&p.timer)
	p.loop.Remove(p.key)
	p.closed = true
}

// rest takes what has connected, up to where no descriptor is left.
func (p *part) rest() {
	for {
		socket, errno := p.accept()
		switch errno {
		case 0:
			p.acceptor.take(socket)
		case unix.EINTR, unix.ECONNABORTED:
		default:
			return
		}
	}
}

func (p *part) accept() (Socket, syscall.Errno) {
	p.length = unix.SizeofSockaddrInet6
	fd, _, errno := syscall.RawSyscall6(unix.SYS_ACCEPT4, uintptr(p.acceptor.fd), uintptr(unsafe.Pointer(&p.address)),
		uintptr(unsafe.Pointer(&p.length)), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
	if errno != 0 {
		return Socket{}, errno
	}
	return Socket{Remote: readAddress(&p.address), fd: int(fd), loop: p.evenly()}, 0
}

// evenly is this loop, unless another has much less to do: connections that stay must not all be on one.
func (p *part) evenly() *loop.Loop {
	if other := loop.Shared().Pick(); p.loop.Load() > other.Load()+other.Load()/4+32 {
		return other
	}
	return p.loop
}

func readAddress(raw *unix.RawSockaddrInet6) netip.AddrPort {
	port := (*[2]byte)(unsafe.Pointer(&raw.Port))
	number := uint16(port[0])<<8 | uint16(port[1])
	if raw.Family == unix.AF_INET {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		return netip.AddrPortFrom(netip.AddrFrom4(four.Addr), number)
	}
	return netip.AddrPortFrom(netip.AddrFrom16(raw.Addr).Unmap(), number)
}
