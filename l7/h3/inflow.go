package h3

import (
	"errors"
	"io"
	"sync"

	"github.com/quic-go/quic-go/quicvarint"
)

// inflow reads frames through a buffer. A read that fails takes nothing: what was begun goes on with the next one.
type inflow struct {
	from   io.Reader
	buffer []byte
	r, w   int    // what is in it
	toss   uint64 // bytes of a frame that nobody wants
	ended  bool   // nothing comes behind what is in the buffer
}

// Types of frames (RFC 9114 section 7.2, RFC 9218 section 7.2).
const (
	frameData           = 0x0
	frameHeaders        = 0x1
	frameCancelPush     = 0x3
	frameSettings       = 0x4
	framePushPromise    = 0x5
	frameGoAway         = 0x7
	frameMaxPushID      = 0xd
	framePriority       = 0xf0700
	framePriorityOfPush = 0xf0701
)

const flowSize = 4 << 10

var flows = sync.Pool{New: func() any { return new([flowSize]byte) }}

func newInflow(from io.Reader) inflow {
	return inflow{from: from, buffer: flows.Get().(*[flowSize]byte)[:]}
}

// release is for whoever reads no more.
func (f *inflow) release() {
	if len(f.buffer) == flowSize {
		flows.Put((*[flowSize]byte)(f.buffer))
	}
	f.buffer, f.r, f.w = nil, 0, 0
}

// over says whether the stream has ended well and all of it was read.
func (f *inflow) over() bool { return f.ended && f.r == f.w }

// next begins a frame that means something. io.EOF: there is none, and the stream has ended between two.
func (f *inflow) next() (kind, length uint64, err error) {
	for {
		if err := f.drop(); err != nil {
			return 0, 0, err
		}
		kind, n, first := quicvarint.Parse(f.buffer[f.r:f.w])
		if first == nil {
			length, m, second := quicvarint.Parse(f.buffer[f.r+n : f.w])
			switch {
			case second != nil:
			case !known(kind):
				f.r, f.toss = f.r+n+m, length // RFC 9114 section 9
				continue
			default:
				f.r += n + m
				return kind, length, nil
			}
		}
		if err := f.fill(); err != nil {
			return 0, 0, f.within(err)
		}
	}
}

// known says whether a frame is more than an extension, or what was HTTP/2's (RFC 9114 section 7.2.8).
func known(kind uint64) bool {
	return kind <= frameMaxPushID && kind != 0xa && kind != 0xb && kind != 0xc || kind == framePriority || kind == framePriorityOfPush
}

// within makes an end inside a frame an error.
func (f *inflow) within(err error) error {
	if err == io.EOF && (f.r < f.w || f.toss > 0) {
		return connectionError(frameError) // RFC 9114 section 7.1
	}
	return err
}

func (f *inflow) drop() error {
	for f.toss > 0 {
		n := min(uint64(f.w-f.r), f.toss)
		f.r, f.toss = f.r+int(n), f.toss-n
		if f.toss == 0 {
			break
		}
		if err := f.fill(); err != nil {
			return f.within(err)
		}
	}
	return nil
}

// fill waits for more.
func (f *inflow) fill() error {
	if f.ended {
		return io.EOF
	}
	switch {
	case f.r == f.w:
		f.r, f.w = 0, 0
	case f.r > 0:
		f.r, f.w = 0, copy(f.buffer, f.buffer[f.r:f.w])
	case f.w == len(f.buffer):
		f.grow()
	}
	n, err := f.from.Read(f.buffer[f.w:])
	f.w += n
	f.ended = err == io.EOF
	if n > 0 {
		return nil
	}
	return err
}

func (f *inflow) grow() {
	larger := make([]byte, 2*len(f.buffer))
	n := copy(larger, f.buffer)
	f.release()
	f.buffer, f.w = larger, n
}

// whole returns all of a frame's payload. It is valid until the next call.
func (f *inflow) whole(length int) ([]byte, error) {
	for f.w-f.r < length {
		if err := f.fill(); errors.Is(err, io.EOF) {
			return nil, connectionError(frameError)
		} else if err != nil {
			return nil, err
		}
	}
	f.r += length
	return f.buffer[f.r-length : f.r], nil
}

// Read returns what there is of the present frame, or waits for it; the caller knows how much that may be.
func (f *inflow) Read(p []byte) (int, error) {
	if f.r < f.w {
		n := copy(p, f.buffer[f.r:f.w])
		f.r += n
		return n, nil
	}
	if f.ended {
		return 0, io.EOF
	}
	n, err := f.from.Read(p)
	f.ended = err == io.EOF
	return n, err
}
