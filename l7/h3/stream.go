package h3

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

// Stream is one exchange. Reading and writing may be done from two goroutines, one each.
type Stream struct {
	conn   *conn
	quic   *quic.Stream
	remote string
	in     inflow
	left   uint64 // of the DATA frame that is being read
	// declared is what is still to come of the body by its content-length; -1: not known.
	declared int64
	trailed  bool // the trailer has come: the end follows
	trailer  fields.List
	torn     bool // the peer has reset what it sent
	pace     pace
	outflow
}

// Context is over when the peer wants no answer any more, when the answer has ended, or the connection.
func (s *Stream) Context() context.Context { return s.quic.Context() }

// Remote is the peer's address.
func (s *Stream) Remote() string { return s.remote }

// Handshake of the connection.
func (s *Stream) Handshake() *tls.ConnectionState { return s.conn.handshake }

// request reads up to the end of the header.
func (s *Stream) request() (*h2.Request, error) {
	_ = s.quic.SetReadDeadline(time.Now().Add(headerTimeout))
	kind, length, err := s.in.next()
	switch {
	case err == io.EOF || errors.Is(err, errDeadline):
		return nil, streamError(requestIncomplete)
	case err != nil:
		return nil, err
	case kind != frameHeaders:
		return nil, connectionError(frameUnexpected)
	case length > uint64(s.conn.server.maxHeader()):
		return &h2.Request{}, errTooLarge
	}
	block, err := s.in.whole(int(length))
	if err != nil {
		return nil, err
	}
	_ = s.quic.SetReadDeadline(time.Time{})
	r, err := requestOf(block, s.conn.server.maxHeader())
	if err != nil {
		return r, err
	}
	s.declared = r.Length
	if s.in.over() {
		if r.Length > 0 {
			return r, streamError(messageError)
		}
		r.Length = 0
	}
	return r, nil
}

// endWithin is how long the end of a stream may come after a header: both are mostly in one packet. Whoever takes longer
// has sent a header without an end, and what follows is a body, however short.
const endWithin = 50 * time.Millisecond

// EndsAtOnce says whether the end of the stream is there, or comes right after the header. Call it before the first Read.
func (s *Stream) EndsAtOnce() bool {
	_ = s.quic.SetReadDeadline(time.Now().Add(endWithin))
	err := s.refuse(s.advance())
	_ = s.quic.SetReadDeadline(time.Time{})
	return err == io.EOF
}

// Read returns what has come of the body; io.EOF at its clean end only. It fails with h1.ErrSlowBody when the peer is
// slower than its pace may be.
func (s *Stream) Read(p []byte) (int, error) {
	if s.pace.silent() {
		return s.read(p)
	}
	began := time.Now()
	s.wait(began)
	n, err := s.read(p)
	return n, s.pace.judge(n, time.Since(began), err)
}

func (s *Stream) read(p []byte) (int, error) {
	if err := s.advance(); err != nil {
		return 0, s.refuse(err)
	}
	n, err := s.in.Read(p[:min(uint64(len(p)), s.left)])
	s.left -= uint64(n)
	if s.declared >= 0 {
		s.declared -= int64(n)
	}
	if n > 0 {
		return n, nil
	}
	if err == io.EOF {
		err = connectionError(frameError)
	}
	return 0, s.refuse(err)
}

// advance goes on to the next byte of the body.
func (s *Stream) advance() error {
	for s.left == 0 {
		kind, length, err := s.in.next()
		switch {
		case err == io.EOF && s.declared > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case s.trailed || kind != frameData && kind != frameHeaders:
			return connectionError(frameUnexpected)
		case kind == frameHeaders:
			err = s.trail(length)
		case s.declared >= 0 && length > uint64(s.declared):
			err = streamError(messageError) // RFC 9114 section 4.1.2
		default:
			s.left = length
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) trail(length uint64) error {
	most := s.conn.server.maxHeader()
	if length > uint64(most) {
		return streamError(excessiveLoad)
	}
	block, err := s.in.whole(int(length))
	if err != nil {
		return err
	}
	if s.trailer, err = trailerOf(block, most); errors.Is(err, errTooLarge) {
		return streamError(excessiveLoad)
	}
	s.trailed = true
	return err
}

// refuse ends what the peer has broken. Other errors are returned as they are.
func (s *Stream) refuse(err error) error {
	var fatal connectionError
	var fault streamError
	var reset *quic.StreamError
	switch {
	case errors.As(err, &fatal):
		_ = s.conn.CloseWithError(quic.ApplicationErrorCode(fatal), "")
	case errors.As(err, &fault):
		s.reset(quic.StreamErrorCode(fault))
	case errors.As(err, &reset):
		s.torn = reset.Remote
	}
	return err
}

// Trailer is what followed the body, and whether that has ended. It is the reader's to ask.
func (s *Stream) Trailer() (trailer fields.List, ended bool) {
	return s.trailer, s.in.over() && s.left == 0
}

// reset ends both halves such that nobody can take them for complete.
func (s *Stream) reset(code quic.StreamErrorCode) {
	s.quic.CancelRead(code)
	s.quic.CancelWrite(code)
}

// end comes after the handler, when nobody reads or writes any more. A request's rest that nobody wants is no error once
// the answer is complete (RFC 9114 section 4.1).
func (s *Stream) end() {
	if s.closed {
		s.quic.CancelRead(noError)
	} else {
		s.reset(internalError)
	}
	s.in.release()
	s.outflow.release()
}
