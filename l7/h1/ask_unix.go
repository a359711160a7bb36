//go:build linux || darwin || freebsd || netbsd || openbsd

package h1

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// asker sends a request without a body and waits for the answer with as few calls as that takes: a read that tells whether
// a kept connection is quiet, a write, and a read when there is something. An ordinary Read tries before it waits, in
// vain: between a request and its answer there is nothing. Here the wait has begun when the write is made, so that nothing
// which that causes is missed.
type asker struct {
	raw  syscall.RawConn
	step func(fd uintptr) bool // made once: it would be an allocation each time

	look  bool   // whether it is quiet
	asked bool   // the request was written, as far as it could be
	out   []byte // what is left of it
	in    []byte
	n     int   // read
	err   error // of the step that failed
}

var errNotQuiet = errors.New("the app has said something, or ended the connection, before it was asked")

// newAsker returns nil if there is no plain socket.
func newAsker(c net.Conn) *asker {
	raw := plainSocket(c)
	if raw == nil {
		return nil
	}
	a := &asker{raw: raw}
	a.step = a.take
	return a
}

// ask returns how much of out is left, which is for an ordinary write if there is no error, and how much of the answer has
// come. A connection that is to be quiet first and is not fails with errNotQuiet.
func (a *asker) ask(out, in []byte, quiet bool) (left []byte, n int, err error) {
	a.look, a.asked, a.out, a.in, a.n, a.err = quiet, false, out, in, 0, nil
	err = a.raw.Read(a.step)
	if err == nil {
		err = a.err
	}
	left, n = a.out, a.n
	a.out, a.in = nil, nil
	return left, n, err
}

// take is called now, and each time when there may be something to read. It says whether that was enough.
func (a *asker) take(fd uintptr) bool {
	if !a.asked {
		return a.begin(fd)
	}
	a.n, a.err = readFD(fd, a.in)
	if errors.Is(a.err, syscall.EAGAIN) {
		a.err = nil
		return false
	}
	if a.n == 0 && a.err == nil {
		a.err = io.EOF
	}
	return true
}

func (a *asker) begin(fd uintptr) bool {
	if a.look {
		if _, err := readFD(fd, a.in); !errors.Is(err, syscall.EAGAIN) {
			a.err = errNotQuiet
			return true
		}
	}
	a.asked = true
	n, err := writeFD(fd, a.out)
	a.out = a.out[n:]
	if errors.Is(err, syscall.EAGAIN) {
		return true
	}
	a.err = err
	return err != nil || len(a.out) > 0
}

func writeFD(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Write(int(fd), p)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
