package h1

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// ErrSlowBody: the visitor sends his body too slowly.
var ErrSlowBody = errors.New("the body takes too long")

var (
	errStopped = errors.New("the body is not wanted any more")
	noDeadline time.Time
	past       = time.Unix(1, 0)
)

// intake is the body of a request. One goroutine at a time reads it.
type intake struct {
	in        *Incoming
	left      int64 // of a body of known length; -1: chunked
	chunks    dechunker
	err       error
	announced fields.List

	patience time.Duration // left
	deadline time.Time     // as it was set last

	done    atomic.Bool // all was read
	stopped atomic.Bool
	began   atomic.Bool // the answer has
}

func (b *intake) begin(length int64) {
	b.left, b.err = length, nil
	b.chunks, b.announced = dechunker{}, nil
	b.patience, b.deadline = b.in.conn.server.bodyTimeout(), noDeadline
	b.done.Store(false)
	b.stopped.Store(false)
	b.began.Store(false)
}

// over says whether the next request begins where the reading stands.
func (b *intake) over() bool { return b.done.Load() }

// announce remembers the names of the trailer that is to come.
func (b *intake) announce(h fields.List) {
	for name := range h.Members("Trailer") {
		b.announced.Add(name, "")
	}
}

// trailer has the announced names before the end, the fields after it.
func (b *intake) trailer() fields.List {
	if !b.done.Load() {
		return b.announced
	}
	return b.chunks.fields
}

// Read tells the end together with the last byte.
func (b *intake) Read(p []byte) (n int, err error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if b.left >= 0 {
		n, b.err = b.measured(p)
	} else {
		n, b.err = b.chunked(p)
	}
	return n, b.err
}

// measured never reads further than the body.
func (b *intake) measured(p []byte) (int, error) {
	p = p[:min(int64(len(p)), b.left)]
	n, err := b.buffered(p), error(nil)
	if n == 0 {
		n, err = b.pull(p)
	}
	if b.left -= int64(n); b.left == 0 {
		b.done.Store(true)
		return n, io.EOF
	}
	return n, err
}

// chunked reads into p and takes the framing out in place: what came behind the body goes back.
func (b *intake) chunked(p []byte) (int, error) {
	for {
		raw, err := b.buffered(p), error(nil)
		if raw == 0 {
			raw, err = b.pull(p)
		}
		n, taken, malformed := b.chunks.decode(p, p[:raw])
		switch {
		case malformed != nil:
			return n, malformed
		case b.chunks.done():
			b.in.unread(p[taken:raw])
			b.done.Store(true)
			return n, io.EOF
		case err != nil || n > 0:
			return n, err
		}
	}
}

// Whole takes the body, if all of it came with the head.
func (b *intake) Whole() []byte {
	if b.err != nil || b.left <= 0 || b.left > int64(b.in.filled-b.in.at) || b.in.head.expects {
		return nil
	}
	whole := b.in.buf[b.in.at:][:b.left]
	b.in.at += len(whole)
	b.left, b.err = 0, io.EOF
	b.done.Store(true)
	return whole
}

// buffered takes what came with the head.
func (b *intake) buffered(p []byte) int {
	n := copy(p, b.in.buf[b.in.at:b.in.filled])
	b.in.at += n
	return n
}

// unread puts back what belongs to the next request. There is room in front of it: what it was read from is used up.
func (in *Incoming) unread(p []byte) {
	rest := in.buf[in.at:in.filled]
	if len(rest) == 0 {
		in.at, in.filled = in.head.next, in.head.next
		in.buf = append(in.buf[:in.at], p...)
		in.buf = in.buf[:cap(in.buf)]
		in.filled = in.at + len(p)
		return
	}
	in.at -= len(p) // it was buffered, and p is the end of what was taken
	copy(in.buf[in.at:], p)
}

// pull reads from the connection.
func (b *intake) pull(p []byte) (int, error) {
	if err := b.in.proceed(); err != nil {
		return 0, err
	}
	for {
		began := time.Now()
		b.wait(began)
		if b.stopped.Load() {
			return 0, errStopped
		}
		n, err := b.in.conn.conn.Read(p)
		b.patience = Patience(b.patience, time.Since(began), n, b.in.conn.server.bodyTimeout())
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, truncated(err)
		}
		if !b.began.Load() && !b.stopped.Load() {
			return 0, fmt.Errorf("%w: %w", ErrSlowBody, err)
		}
	}
}

// wait sets the deadline of a read. Once the answer has begun, this is a conversation and may pause.
func (b *intake) wait(now time.Time) {
	if b.began.Load() {
		_ = b.in.conn.conn.SetReadDeadline(noDeadline)
		return
	}
	at := now.Add(b.patience)
	if off := at.Sub(b.deadline); off >= 0 && off < b.in.conn.server.bodyTimeout()/16 {
		return
	}
	b.deadline = at
	_ = b.in.conn.conn.SetReadDeadline(at)
}

// stop may be called from another goroutine than Read.
func (b *intake) stop() {
	b.stopped.Store(true)
	_ = b.in.conn.conn.SetReadDeadline(past)
}
