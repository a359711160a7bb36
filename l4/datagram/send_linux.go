package datagram

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// writing is what sendmmsg needs of an Out.
type writing struct {
	heads    [Most]header
	vectors  [Most]unix.Iovec
	names    [Most]unix.RawSockaddrInet6
	controls [Most]controlData
	spans    [Most]span
	messages int

	try      func(fd uintptr) // kept, so that a call allocates no closure
	from     int              // the first message to send
	accepted int
	errno    syscall.Errno
}

// span is the entries of one message.
type span struct{ at, n, segment int }

func (o *Out) prepare() { o.try = o.tryWrite }

// Send writes what was gathered and forgets it. It never waits: what finds no room is dropped and counted.
func (c *Conn) Send(o *Out) (r Result) {
	for at := 0; at < o.n; {
		o.arrange(c, at)
		at = c.send(o, &r)
	}
	o.Reset()
	return r
}

// send writes the messages that were arranged and returns the entry with which to go on.
func (c *Conn) send(o *Out, r *Result) (next int) {
	for o.from = 0; o.from < o.messages; {
		err := c.raw.Control(o.try) // not Write, which lets one send at a time
		if err != nil {             // closed
			r.failed(o.entries[o.spans[o.from].at:o.n], err)
			return o.n
		}
		for _, s := range o.spans[o.from : o.from+o.accepted] {
			r.sent(o.entries[s.at : s.at+s.n])
		}
		o.from += o.accepted
		if o.errno == 0 {
			continue
		}
		s := o.spans[o.from]
		if s.segment != 0 && c.learn(s, o.errno) {
			return c.apart(o, s, r)
		}
		r.failed(o.entries[s.at:s.at+s.n], failure("sendmmsg", o.errno))
		o.from++
	}
	last := o.spans[o.messages-1]
	return last.at + last.n
}

// learn takes note of what the kernel or the path does not take in one message. False if that is not what failed.
func (c *Conn) learn(s span, errno syscall.Errno) bool {
	switch errno {
	case unix.EINVAL, unix.EMSGSIZE: // larger than the path's MTU: each must leave in fragments, and so alone
		c.limit.Store(int64(s.segment) - 1)
	case unix.EIO, unix.EOPNOTSUPP, unix.ENOPROTOOPT: // no UDP_SEGMENT before Linux 4.18, or a device without checksums
		c.limit.Store(0)
	default:
		return false
	}
	return true
}

// apart sends datagrams one by one that came in one piece. Those that were joined here are only arranged anew.
func (c *Conn) apart(o *Out, s span, r *Result) (next int) {
	whole := &o.entries[s.at]
	if whole.segment == 0 {
		return s.at
	}
	alone := Borrow()
	defer alone.Free()
	for data := whole.data; len(data) > 0; {
		n := min(whole.segment, len(data))
		alone.Add(data[:n], whole.to, whole.from, 0)
		data = data[n:]
		if alone.Full() || len(data) == 0 {
			r.add(c.Send(alone))
		}
	}
	return s.at + 1
}

// arrange makes messages of the entries from there on.
func (o *Out) arrange(c *Conn, at int) {
	limit := c.limit.Load()
	o.messages = 0
	for at < o.n {
		s := span{at: at, n: o.joined(at, limit), segment: o.entries[at].segment}
		if s.n > 1 {
			s.segment = len(o.entries[at].data)
		}
		o.message(o.messages, s, c.six)
		o.spans[o.messages] = s
		o.messages++
		at += s.n
	}
}

func (o *Out) message(i int, s span, six bool) {
	head, first := &o.heads[i], &o.entries[s.at]
	head.Iov = &o.vectors[s.at]
	head.SetIovlen(s.n)
	for k := s.at; k < s.at+s.n; k++ {
		o.vectors[k] = unix.Iovec{}
		if data := o.entries[k].data; len(data) > 0 {
			o.vectors[k].Base = &data[0]
			o.vectors[k].SetLen(len(data))
		}
	}
	head.Name, head.Namelen = nil, 0
	if first.to != (Addr{}) {
		head.Name = (*byte)(unsafe.Pointer(&o.names[i]))
		head.Namelen = writeName(&o.names[i], &first.to, six)
	}
	length := writeControl(o.controls[i].bytes(), &first.from, s.segment, six)
	head.Control = nil
	if length > 0 {
		head.Control = (*byte)(unsafe.Pointer(&o.controls[i]))
	}
	head.SetControllen(length)
}

// tryWrite never waits for room.
func (o *Out) tryWrite(fd uintptr) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&o.heads[o.from])),
			uintptr(o.messages-o.from), unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		o.accepted, o.errno = int(n), errno
		if errno != 0 {
			o.accepted = 0
		}
		return
	}
}
