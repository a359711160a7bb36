package datagram

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reading is what recvmmsg needs of a batch.
type reading struct {
	heads    [Most]header
	vectors  [Most]unix.Iovec
	names    [Most]unix.RawSockaddrInet6
	controls [Most]controlData
}

// receiving is the state of a Receive, kept in the Conn so that a call allocates no closure.
type receiving struct {
	try   func(fd uintptr) bool
	once  func(fd uintptr) // the same, without waiting
	got   *Batch
	errno syscall.Errno
}

// prepare connects the parts of a new batch.
func (b *Batch) prepare() {
	for i := range b.heads {
		b.vectors[i].Base = &b.memory[i][0]
		b.vectors[i].SetLen(size)
		b.heads[i].Iov = &b.vectors[i]
		b.heads[i].SetIovlen(1)
		b.heads[i].Name = (*byte)(unsafe.Pointer(&b.names[i]))
		b.heads[i].Control = (*byte)(unsafe.Pointer(&b.controls[i]))
	}
	b.rearm(Most)
	b.Out.prepare()
}

// rearm makes the first n headers say again how much room there is.
func (b *Batch) rearm(n int) {
	for i := range n {
		b.heads[i].Namelen = unix.SizeofSockaddrInet6
		b.heads[i].SetControllen(controlSize)
		b.heads[i].Flags = 0
	}
}

// Receive waits for datagrams and returns all that are there, up to Most messages. While it waits it holds no batch.
func (c *Conn) Receive() (*Batch, error) {
	if err := c.raw.Read(c.try); err != nil {
		return nil, err
	}
	return c.taken()
}

// taken is what tryRead has left.
func (c *Conn) taken() (*Batch, error) {
	batch, errno := c.got, c.errno
	c.got, c.errno = nil, 0
	if errno != 0 {
		return nil, failure("recvmmsg", errno)
	}
	return batch, nil
}

func (c *Conn) tryRead(fd uintptr) bool {
	batch := borrow()
	n, errno := recvmmsg(fd, batch.heads[:])
	if errno != 0 {
		batch.Free()
		c.errno = errno
		return errno != unix.EAGAIN
	}
	c.errno = 0
	batch.understand(n)
	c.got = batch
	return true
}

// recvmmsg never waits, so that the scheduler need not know of the call: it would look for somebody to take the place of
// a loop that is in one for the time of a glance.
func recvmmsg(fd uintptr, heads []header) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&heads[0])), uintptr(len(heads)),
			unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

func (b *Batch) understand(n int) {
	b.n = n
	for i := range n {
		head := &b.heads[i]
		local, segment := readControl(b.controls[i].bytes()[:head.Controllen])
		if segment >= int(head.length) {
			segment = 0
		}
		b.messages[i] = Message{
			Data: b.memory[i][:head.length:head.length], Peer: readName(&b.names[i]), Local: local, Segment: segment,
		}
	}
	b.rearm(n)
}
