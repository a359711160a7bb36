package datagram

import (
	"math"
	"sync"
)

// Out gathers what one Send writes. Its data is not copied: it must stay as it is until then.
type Out struct {
	n       int
	entries [Most]entry
	writing
}

// outs are for who sends without having read. They are no part of batches, for which whoever reads would have to wait in
// line behind all those who send.
var outs = sync.Pool{New: func() any {
	o := &Out{}
	o.prepare()
	return o
}}

// Borrow returns an Out that is no batch's, and is given back with Free.
func Borrow() *Out { return outs.Get().(*Out) }

// Free gives back what Borrow returned.
func (o *Out) Free() {
	o.Reset()
	outs.Put(o)
}

type entry struct {
	data    []byte
	to      Addr
	from    Local
	segment int // size of each datagram in data but the last; 0: data is one
}

func (e *entry) count() int { return count(len(e.data), e.segment) }

// Add takes one datagram, or several of one size put together. To is zero on a dialled Conn. False when there is no
// room: send first.
func (o *Out) Add(data []byte, to Addr, from Local, segment int) bool {
	if o.n == Most {
		return false
	}
	if segment < 0 || segment >= len(data) {
		segment = 0
	}
	o.entries[o.n] = entry{data, to, from, segment}
	o.n++
	return true
}

// Full says that the next Add finds no room.
func (o *Out) Full() bool { return o.n == Most }

// Empty says that there is nothing to send.
func (o *Out) Empty() bool { return o.n == 0 }

// Reset forgets all.
func (o *Out) Reset() {
	clear(o.entries[:o.n])
	o.n = 0
}

const (
	// mostJoined datagrams go into one message: the kernel's limit was 64 for long (UDP_MAX_SEGMENTS).
	mostJoined = 60
	mostBytes  = 65000
	anySize    = math.MaxInt64
)

// joined is how many entries from there on can go into one message: one peer, one size, only the last may be shorter.
// Limit is the largest size that the path takes so.
func (o *Out) joined(at int, limit int64) int {
	first := &o.entries[at]
	each := len(first.data)
	if first.segment != 0 || each == 0 || int64(each) > limit {
		return 1
	}
	bytes := each
	for i := at + 1; i < o.n; i++ {
		e := &o.entries[i]
		bytes += len(e.data)
		if e.segment != 0 || len(e.data) == 0 || len(e.data) > each || bytes > mostBytes || i-at >= mostJoined ||
			e.to != first.to || e.from != first.from {
			return i - at
		}
		if len(e.data) < each {
			return i - at + 1
		}
	}
	return o.n - at
}
