package fiber

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// NewConn makes a connection of a socket that does not block, which it owns. It begins with Add.
func (h *Home) NewConn(fd int, local, remote net.Addr, o Owner) *Conn {
	c := &Conn{home: h, fd: fd, local: local, remote: remote, owner: o, blocks: [2]bool{in: true}}
	c.timer.Fire = c.rang
	return c
}

// Adopt makes a connection of a TCP socket that net has, which is closed; what was read from it is lost. It fails if no
// descriptor is left, and then nothing has happened.
func (h *Home) Adopt(conn *net.TCPConn, o Owner) (*Conn, error) {
	fd, err := loop.Dup(conn)
	if err != nil {
		return nil, err
	}
	local, remote := conn.LocalAddr(), conn.RemoteAddr()
	conn.Close() // a socket in two pollers would wake both
	return h.NewConn(fd, local, remote, o), nil
}

// Add begins to hear of the socket, on the loop. If it fails, the connection is closed.
func (c *Conn) Add() (err error) {
	if c.closed.Load() {
		c.quit()
		return net.ErrClosed
	}
	if c.key, err = c.home.loop.Add(c.fd, events{c}); err != nil {
		_ = c.Close()
	}
	return err
}

// events keeps Ready of the loop apart from what a Conn offers.
type events struct{ *Conn }

// Fetch is told by the loop. What is read here is read before anybody deals with what he has.
func (c events) Fetch(e loop.Events) {
	c.note(e)
	switch {
	case c.blocks[in]:
	case c.waits == rest:
		c.fetched = true
		c.owner.Fetch()
	case c.waits == reading && c.lender != nil:
		c.done.n, c.done.err = c.TryRead(c.lender.Lend())
		c.fetched = c.done.err != errAgain
	}
}

func (c *Conn) note(e loop.Events) {
	if e&(loop.Readable|loop.Ended) != 0 {
		c.blocks[in] = false
	}
	if e&(loop.Writable|loop.Failed) != 0 {
		c.blocks[out] = false
	}
	c.leaves = e&loop.Ended != 0 && !c.ended
	c.ended = c.ended || c.leaves
}

// Ready is told by the loop.
func (c events) Ready(loop.Events) {
	if c.leaves {
		c.leaves = false
		c.owner.Left()
	}
	switch mayRead := c.fetched || !c.blocks[in]; {
	case c.waits == reading && mayRead, c.waits == writing && !c.blocks[out]:
		c.resume()
	case c.waits == rest && mayRead:
		c.fetched = false
		c.wait(nothing)
		c.owner.Ready()
	}
}

// quit closes the socket, on the loop.
func (c *Conn) quit() {
	if c.fd < 0 {
		return
	}
	if c.abrupt.Load() {
		_ = unix.SetsockoptLinger(c.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	}
	c.home.loop.Stop(&c.timer)
	c.home.loop.Forget(c.key)
	unix.Close(c.fd)
	c.fd = -1
	if c.waits == reading || c.waits == writing {
		c.resume()
	}
}

// Detach takes the socket off the loop and makes a connection of it that net has. For the fiber that has this one, which is
// closed, also if it fails.
func (c *Conn) Detach() (net.Conn, error) {
	c.fiber.Return()
	if c.closed.Swap(true) || c.fd < 0 {
		return nil, net.ErrClosed
	}
	c.home.loop.Stop(&c.timer)
	c.home.loop.Remove(c.key)
	fd := c.fd
	c.fd = -1
	return loop.Conn(fd)
}

// Read is for the fiber that has the connection.
func (c *Conn) Read(p []byte) (int, error) {
	c.fiber.Return()
	n, err := c.read(p)
	c.fiber.stepAside()
	return n, err
}

func (c *Conn) read(p []byte) (int, error) {
	c.fiber.spend()
	for {
		n, err := c.TryRead(p)
		if err != errAgain {
			c.fiber.spent += n
			return n, err
		}
		c.await(reading)
	}
}

// ReadInto is a Read into the buffer that l lends when there is something to read. For the fiber that has the connection.
func (c *Conn) ReadInto(l Lender) (int, error) {
	c.fiber.Return()
	n, err := c.readInto(l)
	c.fiber.stepAside()
	return n, err
}

func (c *Conn) readInto(l Lender) (int, error) {
	for c.blocks[in] && !c.closed.Load() && !c.passed(in) {
		c.lender = l
		c.await(reading)
		c.lender = nil
		if c.fetched {
			c.fetched = false
			c.fiber.spent += callCost + c.done.n
			return c.done.n, c.done.err
		}
	}
	return c.read(l.Lend())
}

// TryRead is a Read that does not wait: it fails instead. It needs no fiber, but the loop.
func (c *Conn) TryRead(p []byte) (int, error) {
	for {
		switch {
		case c.closed.Load():
			return 0, net.ErrClosed
		case c.passed(in):
			return 0, os.ErrDeadlineExceeded
		case c.blocks[in]:
			return 0, errAgain
		case len(p) == 0:
			return 0, nil
		}
		n, errno := read(c.fd, p)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			c.blocks[in] = true
		case errno != 0:
			return 0, os.NewSyscallError("read", errno)
		case n == 0:
			return 0, io.EOF
		default:
			// Less than was asked for is all that there was; of an end after it there was word already, or will be.
			c.blocks[in] = n < len(p) && !c.ended
			return n, nil
		}
	}
}

// Write is for the fiber that has the connection.
func (c *Conn) Write(p []byte) (int, error) {
	c.fiber.Return()
	n, err := c.write(p)
	c.fiber.stepAside()
	return n, err
}

func (c *Conn) write(p []byte) (sent int, err error) {
	c.fiber.spend()
	if len(p) > 0 && len(p) <= short && c.home.loop.Gathers() {
		sent, err = c.post(p)
	}
	for sent < len(p) && err == nil {
		var n int
		n, err = c.try(unix.SYS_SENDTO, unsafe.Pointer(&p[sent]), len(p)-sent)
		sent += n
	}
	c.fiber.spent += sent
	return sent, err
}

// short is what a write may have to be sent at the end of the batch: with more, it is the copying that costs.
const short = 16 << 10

// post has p, which is not empty, sent at the end of the batch, and returns then. Zero without an error is to be tried
// again. Jobs and timers come between batches: what waits here is neither closed nor hurried meanwhile, and what its fiber
// could do, which waits, nobody does.
func (c *Conn) post(p []byte) (int, error) {
	if c.blocks[out] {
		return 0, nil
	}
	c.posted = p
	c.home.loop.Later(sender{c})
	c.wait(posting)
	c.fiber.await()
	c.posted = nil
	return c.done.n, c.done.err
}

// sender keeps the methods that are the loop's apart, too.
type sender struct{ *Conn }

// Send is told by the loop.
func (c sender) Send() {
	c.done.n, c.done.err = c.call(unix.SYS_SENDTO, unsafe.Pointer(&c.posted[0]), len(c.posted))
}

// Sent is told by the loop.
func (c sender) Sent() { c.resume() }

// try makes one call that writes, or waits if it has to. Zero without an error is to be tried again.
func (c *Conn) try(trap uintptr, from unsafe.Pointer, length int) (int, error) {
	if c.blocks[out] && !c.closed.Load() && !c.passed(out) {
		return 0, c.awaitRoom()
	}
	return c.call(trap, from, length)
}

// call is try for who must not wait: there is room, as far as we know.
func (c *Conn) call(trap uintptr, from unsafe.Pointer, length int) (int, error) {
	switch {
	case c.closed.Load():
		return 0, net.ErrClosed
	case c.passed(out):
		return 0, os.ErrDeadlineExceeded
	}
	ordered()
	n, _, errno := syscall.RawSyscall6(trap, uintptr(c.fd), uintptr(from), uintptr(length), unix.MSG_NOSIGNAL, 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.EINTR:
	case unix.EAGAIN:
		c.blocks[out] = true
	default:
		return 0, os.NewSyscallError("write", errno)
	}
	return 0, nil
}

// awaitRoom waits for the peer to take something.
func (c *Conn) awaitRoom() error {
	if c.Stall == 0 || c.deadlines[out].Load() != 0 {
		c.await(writing)
		return nil
	}
	c.deadlines[out].Store(int64(c.home.loop.Now() + c.Stall))
	c.await(writing)
	if c.passed(out) && c.blocks[out] {
		return os.ErrDeadlineExceeded
	}
	c.deadlines[out].Store(0)
	return nil
}

// WriteBuffers writes several pieces with one call where it can, and takes what was written off them.
func (c *Conn) WriteBuffers(pieces *net.Buffers) (sent int64, err error) {
	c.fiber.Return()
	c.fiber.spend()
	var list [8]unix.Iovec
	for len(*pieces) > 0 && err == nil {
		var n int
		n, err = c.try(unix.SYS_WRITEV, unsafe.Pointer(&list), vectors(&list, *pieces))
		take(pieces, n)
		sent += int64(n)
	}
	c.fiber.spent += int(sent)
	c.fiber.stepAside()
	return sent, err
}

// vectors fills the list and returns how many there are.
func vectors(list *[8]unix.Iovec, pieces net.Buffers) (n int) {
	for _, piece := range pieces[:min(len(pieces), len(list))] {
		if len(piece) > 0 {
			list[n].Base = unsafe.SliceData(piece)
			list[n].SetLen(len(piece))
			n++
		}
	}
	return n
}

// take removes n bytes, and what is empty, from the front.
func take(pieces *net.Buffers, n int) {
	for len(*pieces) > 0 && n >= len((*pieces)[0]) {
		n -= len((*pieces)[0])
		*pieces = (*pieces)[1:]
	}
	if n > 0 {
		(*pieces)[0] = (*pieces)[0][n:]
	}
}

// CloseWrite ends our direction. For the fiber that has the connection.
func (c *Conn) CloseWrite() error {
	c.fiber.Return()
	if c.fd < 0 {
		return net.ErrClosed
	}
	return os.NewSyscallError("shutdown", unix.Shutdown(c.fd, unix.SHUT_WR))
}

// Quiet says whether there is nothing to read, neither a byte nor an end, asking the kernel. It is for the loop.
func (c *Conn) Quiet() bool {
	for c.fd >= 0 && !c.ended {
		one := [1]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(one[:], 0)
		if err != unix.EINTR {
			c.blocks[in] = n == 0 && err == nil
			return c.blocks[in]
		}
	}
	return false
}
