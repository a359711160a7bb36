package h1

import (
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// body of a response. Read belongs to one goroutine; Close may be called from another.
type body struct {
	call   *call // nil after Close
	source io.Reader
	chunks *chunks // the source, if it is chunked
	keep   bool    // the connection may serve again after this
	err    error   // what Read has ended with

	ended   atomic.Bool // the response is complete, and no Read will touch anything here any more
	settled atomic.Bool // the connection's fate is decided
}

// Read returns what has come.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := b.source.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.err = err
		b.finish()
	default:
		err = fmt.Errorf("read the response's body: %w", err)
		b.err = err
		b.cut(err)
	}
	return n, err
}

// take returns what has come already without copying it; empty if there is nothing, or if it has to be decoded.
func (b *body) take() (p []byte, err error) {
	m, ok := b.source.(*measured)
	if !ok || b.err != nil {
		return nil, b.err
	}
	p = m.reader.take(m.left)
	if m.left -= int64(len(p)); m.left == 0 {
		b.err = io.EOF
		b.finish()
	}
	return p, b.err
}

// finish is called once, at the response's end. If the request's body is still being sent, Close decides.
func (b *body) finish() {
	b.keep = b.keep && len(b.call.inflow.rest()) == 0
	if b.call.upload == nil || b.call.upload.over() {
		b.settle()
	}
	b.ended.Store(true)
}

// settle keeps the connection, or closes it.
func (b *body) settle() {
	if !b.settled.CompareAndSwap(false, true) {
		return
	}
	sent := b.call.upload == nil || b.call.upload.settled()
	if b.call.unfollow() && sent && b.keep {
		b.call.conn.target.keep(b.call.conn)
		return
	}
	b.call.conn.kill(errStale)
}

// cut closes the connection before the response's end.
func (b *body) cut(cause error) {
	if b.settled.CompareAndSwap(false, true) {
		b.call.unfollow()
		b.call.conn.kill(cause)
	}
}

// Close ends the response, and the sending of the request's body. Only a response that was read to its end gives its
// memory back: of another one somebody may still be reading.
func (b *body) Close() error {
	switch {
	case b.call == nil:
	case b.ended.Load():
		b.settle()
		b.call.recycle()
	default:
		b.cut(errCancelled)
	}
	return nil
}

func (b *body) reset() {
	b.call, b.source, b.chunks, b.keep, b.err = nil, nil, nil, false, nil
	b.ended.Store(false)
	b.settled.Store(false)
}

// hijack takes the connection out.
func (b *body) hijack() (net.Conn, []byte) {
	if b.source != nil || b.ended.Load() || !b.settled.CompareAndSwap(false, true) {
		return nil, nil
	}
	b.call.unfollow()
	return b.call.conn, b.call.readAhead()
}

// measured is a body of a known length.
type measured struct {
	reader *inflow
	left   int64
}

// Read tells the end together with the last byte, so that the connection is free at once. It never reads further: a
// reset after the last byte is none of its business (case B098).
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.reader.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	if m.left == 0 {
		return n, io.EOF
	}
	return n, truncated(err)
}
