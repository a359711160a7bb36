package h1

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// inflow reads through a buffer. On a loop that is a large one, for as long as there is something in it: who waits for an
// app holds none.
type inflow struct {
	from   io.Reader
	onLoop *conn  // is from, if that is on a loop
	own    []byte // the small buffer for what is not on a loop
	buffer []byte // nil: there is none
	r, w   int    // what is in it
	lent   *[largeFlow]byte
}

const (
	smallFlow = 4 << 10
	largeFlow = 64<<10 + smallFlow // a header, and 64 KiB
)

var largeFlows = sync.Pool{New: func() any { return new([largeFlow]byte) }}

// errFull: there is no end of the line in a whole buffer.
var errFull = errors.New("the buffer is full")

// reset forgets what there was, and reads from another connection; from nothing, if it is nil.
func (f *inflow) reset(c *conn) {
	f.release()
	f.from, f.onLoop = nil, nil
	if c == nil {
		return
	}
	f.from = c
	if c.strand != nil && c.link == nil { // what TLS has read already does not make the socket readable
		f.onLoop = c
	}
}

// rest is what has been read and not taken. It is valid until the next call.
func (f *inflow) rest() []byte { return f.buffer[f.r:f.w] }

// fill waits for more.
func (f *inflow) fill() error {
	n, err := f.read()
	f.w += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

func (f *inflow) read() (int, error) {
	switch {
	case f.r > 0:
		f.r, f.w = 0, copy(f.buffer, f.rest())
	case f.buffer == nil && f.onLoop != nil:
		n, err := f.onLoop.strand.ReadInto(f)
		return n, f.onLoop.explain(err)
	}
	f.borrow()
	return f.from.Read(f.buffer[f.w:])
}

// Lend is asked for when there is something to read.
func (f *inflow) Lend() []byte {
	f.borrow()
	return f.buffer
}

func (f *inflow) borrow() {
	switch {
	case f.buffer != nil:
	case f.onLoop != nil:
		f.lent = largeFlows.Get().(*[largeFlow]byte)
		f.buffer = f.lent[:]
	default:
		if f.own == nil {
			f.own = make([]byte, smallFlow)
		}
		f.buffer = f.own
	}
}

func (f *inflow) release() {
	if f.lent != nil {
		largeFlows.Put(f.lent)
	}
	f.buffer, f.lent, f.r, f.w = nil, nil, 0, 0
}

// line returns a line with its end; with errFull, or at the end, what there is of it. It is valid until the next call.
func (f *inflow) line() ([]byte, error) {
	seen := 0
	for {
		rest := f.rest()
		if end := bytes.IndexByte(rest[seen:], '\n'); end >= 0 {
			f.r += seen + end + 1
			return rest[:seen+end+1], nil
		}
		if seen = len(rest); f.buffer != nil && seen == len(f.buffer) {
			f.r = f.w
			return rest, errFull
		}
		if err := f.fill(); err != nil {
			rest := f.rest()
			f.r = f.w
			return rest, err
		}
	}
}

// take hands out at most so much of what there is. It is valid until the next call.
func (f *inflow) take(most int64) []byte {
	p := f.buffer[f.r:min(int64(f.w), int64(f.r)+most)]
	f.r += len(p)
	return p
}

// Read takes what there is, or waits. What is large comes without a detour.
func (f *inflow) Read(p []byte) (int, error) {
	if f.r == f.w {
		if f.release(); len(p) >= smallFlow {
			return f.from.Read(p)
		}
		if err := f.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest())
	if f.r += n; f.r == f.w {
		f.release()
	}
	return n, nil
}
