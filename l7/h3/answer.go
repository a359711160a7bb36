package h3

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go/quicvarint"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

// outflow collects what is said, so that it leaves in one piece: each piece that the library gets may become a packet.
type outflow struct {
	out    []byte        // is said and has not left
	owed   int           // of the DATA frame whose header was the last that was said
	stall  time.Duration // for which the peer may take nothing; 0: without a limit
	until  time.Time     // the deadline of writes, as it was set last
	begun  bool          // something has left
	closed bool
}

const (
	outSize = 4 << 10
	// onePacket is what the library takes without waiting for anybody, if it has nothing yet.
	onePacket = 1452
)

var outs = sync.Pool{New: func() any { return new([outSize]byte) }}

func newOutflow(stall time.Duration) outflow {
	return outflow{out: outs.Get().(*[outSize]byte)[:0], stall: stall}
}

func (o *outflow) release() {
	if cap(o.out) == outSize {
		outs.Put((*[outSize]byte)(o.out[:outSize]))
	}
	o.out = nil
}

// Header says the header of an answer, interim or final; it may stay with us until the next Flush. The last one ends the
// stream.
func (s *Stream) Header(status int, h fields.List, last bool) error {
	if err := s.gone(); err != nil {
		return err
	}
	if status >= 200 {
		s.converse()
	}
	s.out = appendHeaders(s.out, status, h)
	if last {
		return s.CloseWrite()
	}
	return nil
}

// gone is why nothing can be said any more; nil if it can.
func (s *Stream) gone() error { return context.Cause(s.quic.Context()) }

// Write says a part of the body; what is short may stay with us until the next Flush. It waits for the peer.
func (s *Stream) Write(p []byte) (sent int, err error) {
	for len(p) > sent {
		if s.owed == 0 {
			s.owed = len(p) - sent
			s.out = quicvarint.Append(append(s.out, frameData), uint64(s.owed))
		}
		n, err := s.put(p[sent:min(len(p), sent+s.owed)])
		sent, s.owed = sent+n, s.owed-n
		if err != nil {
			return sent, err
		}
	}
	return sent, s.gone()
}

// put copies what is small.
func (s *Stream) put(p []byte) (int, error) {
	if len(s.out)+len(p) <= cap(s.out) {
		s.out = append(s.out, p...)
		return len(p), nil
	}
	if err := s.Flush(); err != nil {
		return 0, err
	}
	return s.send(p)
}

// Flush sees to it that everything leaves.
func (s *Stream) Flush() error {
	if len(s.out) == 0 {
		return s.gone()
	}
	n, err := s.send(s.out)
	s.out = append(s.out[:0], s.out[n:]...)
	return err
}

func (s *Stream) send(p []byte) (int, error) {
	if s.begun || len(p) > onePacket {
		s.progress()
	}
	s.begun = true
	return s.quic.Write(p)
}

// progress gives the peer time again to take something. A deadline that is set and near enough stays.
func (s *Stream) progress() {
	if s.stall <= 0 {
		return
	}
	if at := time.Now().Add(s.stall); at.Sub(s.until) > s.stall/slack {
		s.until = at
		_ = s.quic.SetWriteDeadline(at)
	}
}

// CloseWrite ends the answer well.
func (s *Stream) CloseWrite() error {
	if err := s.Flush(); err != nil {
		return err
	}
	s.closed = true
	return s.quic.Close()
}

// CloseWithTrailer does it with a trailer.
func (s *Stream) CloseWithTrailer(trailer fields.List) error {
	s.out = appendHeaders(s.out, 0, trailer)
	return s.CloseWrite()
}

// Abort ends the answer such that nobody can take it for complete.
func (s *Stream) Abort() { s.reset(internalError) }

// encoder of field sections, without a dynamic table: it may serve any stream.
type encoder struct {
	block bytes.Buffer
	qpack *qpack.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.qpack = qpack.NewEncoder(&e.block)
	return e
}}

// appendHeaders adds a HEADERS frame. Status 0 is a trailer's.
func appendHeaders(out []byte, status int, h fields.List) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.block.Reset()
	_ = e.qpack.Close() // it begins anew
	if status > 0 {
		e.add(":status", strconv.Itoa(status))
	}
	for _, f := range h {
		if name := h2.Lower(f.Name); !h2.OfConnection(name) {
			e.add(name, f.Value)
		}
	}
	out = quicvarint.Append(append(out, frameHeaders), uint64(e.block.Len()))
	return append(out, e.block.Bytes()...)
}

// add to a buffer, which cannot fail.
func (e *encoder) add(name, value string) {
	_ = e.qpack.WriteField(qpack.HeaderField{Name: name, Value: value})
}
