package h1

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// poller is an epoll that hears of the peer's end alone, once for each socket. Data that arrives wakes nobody: the
// kernel queues an entry only for what it was registered for (fs/eventpoll.c, ep_poll_callback).
type poller struct {
	file   *os.File // an epoll can itself be waited for, so that no thread is spent on it
	raw    syscall.RawConn
	fd     int
	events [128]unix.EpollEvent
	tokens []uint64
}

// newPoller returns nil if the system has none left.
func newPoller() *poller {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if unix.SetNonblock(fd, true) != nil { // tells os.NewFile that it can wait
		unix.Close(fd)
		return nil
	}
	file := os.NewFile(uintptr(fd), "epoll")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil
	}
	return &poller{file: file, raw: raw, fd: fd}
}

func watchable(c net.Conn) bool {
	_, ok := c.(syscall.Conn)
	return ok
}

// add registers a socket. Closing it is enough to take it out.
func (p *poller) add(c net.Conn, token uint64) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	event := unix.EpollEvent{Events: unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(token), Pad: int32(token >> 32)}
	return errors.Join(p.raw.Control(func(epoll uintptr) {
		err = errors.Join(raw.Control(func(socket uintptr) {
			err = unix.EpollCtl(int(epoll), unix.EPOLL_CTL_ADD, int(socket), &event)
		}), err)
	}), err)
}

// wait returns the tokens of connections that have ended; they are valid until the next call.
func (p *poller) wait() ([]uint64, error) {
	p.tokens = p.tokens[:0]
	var failed error
	err := p.raw.Read(func(epoll uintptr) bool {
		n, err := unix.EpollWait(int(epoll), p.events[:], 0)
		for _, event := range p.events[:max(n, 0)] {
			p.tokens = append(p.tokens, uint64(uint32(event.Fd))|uint64(uint32(event.Pad))<<32)
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			failed = err
		}
		return n > 0 || failed != nil
	})
	return p.tokens, errors.Join(err, failed)
}

func (p *poller) close() { p.file.Close() }
