package relay

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// end is one side of a pair.
type end struct {
	pair  *pair
	key   loop.Key
	count int64 // bytes that were written to it
	rest  *rest // nil: nothing is to be written
	fd    int32

	readable bool // as far as is known
	hangsUp  bool // an end is to be read
	hasEnded bool // and was read
	warned   bool // the guard has had its last words
	told     bool // that the other side has ended
}

// rest is what a socket had no room for.
type rest struct {
	data []byte
	kept *loop.Buffer // that data lies in, if it is the loop's
}

func (e *end) other() *end {
	if e == &e.pair.a {
		return &e.pair.b
	}
	return &e.pair.a
}

// Ready is the loop's news.
func (e *end) Ready(events loop.Events) {
	p := e.pair
	if p.failed != nil {
		p.connected(events)
		if p.over {
			return
		}
	}
	if events&loop.Ended != 0 {
		e.hangsUp = true
	}
	if events&(loop.Readable|loop.Ended) != 0 && !e.hasEnded {
		e.readable = true
	}
	if events&(loop.Writable|loop.Ended) != 0 && e.rest != nil {
		p.resume(e)
	}
	p.pump(e)
}

// write returns how much the socket took, all or as much as there is room for.
func (e *end) write(data []byte) (n int, errno syscall.Errno) {
	for n < len(data) {
		m, errno := write(int(e.fd), data[n:])
		if errno == unix.EAGAIN {
			break
		}
		if errno != 0 {
			return n, errno
		}
		if e.pair.guard != nil && e == &e.pair.a {
			e.pair.guard.Sent(data[n : n+m])
		}
		n += m
		e.count += int64(m)
	}
	return n, 0
}

// keep holds on to what could not be written, with the loop's buffer if it lies there.
func (e *end) keep(data []byte) {
	e.rest = &rest{data: data}
	if inside(data, e.pair.loop.Buffer()) {
		e.rest.kept = e.pair.loop.Keep()
	}
}

func inside(p []byte, b *loop.Buffer) bool {
	at, begin := uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(unsafe.Pointer(b))
	return at >= begin && at < begin+loop.BufferSize
}

func (e *end) drop() {
	if e.rest != nil && e.rest.kept != nil {
		e.pair.loop.Free(e.rest.kept)
	}
	e.rest = nil
}

func (e *end) linger() {
	_ = unix.SetsockoptLinger(int(e.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
}

// read and write never wait, so that the scheduler need not know of them.
func read(fd int, p []byte) (int, syscall.Errno) { return transfer(syscall.SYS_READ, fd, p) }

func write(fd int, p []byte) (int, syscall.Errno) { return transfer(syscall.SYS_WRITE, fd, p) }

func transfer(call uintptr, fd int, p []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}
