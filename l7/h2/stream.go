package h2

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// Stream is one exchange on a connection. Reading and writing may be done from two goroutines.
type Stream struct {
	conn *conn
	id   uint32
	ctx  context.Context // over when the stream was reset or its connection has ended
	stop context.CancelCauseFunc

	// Guarded by the connection's mutex:
	changed  sync.Cond // any of what follows
	room     int64     // for DATA to the peer; negative after its SETTINGS took some back
	intake   intake
	body     body
	declared int64 // what is still to come of the body by its content-length; -1: not known
	trailer  fields.List
	inEnded  bool                      // the peer sends no more
	outEnded bool                      // we send no more
	deaf     bool                      // nobody reads the body any more
	err      error                     // why the stream ended before its time
	heads    []*http2.MetaHeadersFrame // of a response: 1xx ones, and the final one
	final    bool                      // the last of them has come
	bodiless bool                      // it has no body: HEAD was asked
	readBy   deadline
	writeBy  deadline
	pace     pace
}

var (
	// ErrReset: the peer, or we, ended the stream before its time. An http2.StreamError has the code.
	ErrReset      = errors.New("the stream was reset")
	errFinished   = errors.New("the stream was ended by us")
	errNotReading = errors.New("the body is not read any more")
)

// newStream is known to the connection from now on. The mutex is held.
func (c *conn) newStream(ctx context.Context, id uint32) *Stream {
	s := &Stream{conn: c, id: id, room: int64(c.peer.window), declared: -1}
	s.intake = intake{left: c.limits.stream, full: c.limits.stream}
	s.pace = pace{patience: c.limits.body, stall: c.limits.stall}
	s.changed.L = &c.mu
	s.ctx, s.stop = context.WithCancelCause(ctx)
	c.streams[id] = s
	c.highest = max(c.highest, id)
	return s
}

// Context is over when the stream was reset, by either side, or its connection has ended.
func (s *Stream) Context() context.Context { return s.ctx }

// Conn is the connection below; it is not the caller's to use.
func (s *Stream) Conn() net.Conn { return s.conn.Conn }

// Read returns what has come of the body; io.EOF at its clean end only.
func (s *Stream) Read(p []byte) (int, error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for s.body.size == 0 && s.unread() == nil {
		s.awaitBody()
	}
	if s.body.size == 0 || s.deaf || s.readBy.passed {
		return 0, s.unread()
	}
	n := s.body.take(p)
	s.pace.earn(n, c.limits.body)
	s.makeRoom(n)
	c.flush()
	return n, nil
}

// unread is why nothing more comes; nil if something may.
func (s *Stream) unread() error {
	switch {
	case s.deaf:
		return errNotReading
	case s.readBy.passed:
		return errDeadline
	case s.inEnded:
		return io.EOF // a reset after it takes nothing back
	case s.pace.slow:
		return h1.ErrSlowBody
	}
	return s.err
}

// makeRoom lets the peer send on. The mutex is held.
func (s *Stream) makeRoom(n int) {
	c := s.conn
	c.giveBack(n)
	if !s.inEnded && s.err == nil {
		if step := s.intake.give(n); step > 0 {
			_ = c.write.WriteWindowUpdate(s.id, step)
		}
	}
}

// StopReading makes Read return, now and from then on.
func (s *Stream) StopReading() {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s.deaf = true
	s.makeRoom(s.body.discard())
	s.changed.Broadcast()
	c.flush()
}

// Trailer is what followed the body, and whether that has ended.
func (s *Stream) Trailer() (trailer fields.List, ended bool) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.trailer, s.inEnded
}

// Header sends a response's header, interim or final; it may stay with us until the next Flush. The last one ends the
// stream.
func (s *Stream) Header(status int, h fields.List, last bool) error {
	return s.head(fields.List{{Name: ":status", Value: strconv.Itoa(status)}}, h, last, status >= 200)
}

// CloseWithTrailer ends the body well.
func (s *Stream) CloseWithTrailer(trailer fields.List) error { return s.head(nil, trailer, true, true) }

func (s *Stream) head(pseudo, h fields.List, last, final bool) error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := s.unsent(); err != nil {
		return err
	}
	if final {
		s.pace.converse()
	}
	c.sendHeaders(s.id, pseudo, h, last)
	if last {
		s.endOut()
		c.flush()
	}
	return nil
}

// Write sends a part of the body; the end of it may stay with us until the next Flush. It waits for the peer.
func (s *Stream) Write(p []byte) (sent int, err error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		n, err := s.reserve(len(p))
		if err != nil {
			return sent, err
		}
		c.sendData(s.id, p[:n], false)
		p, sent = p[n:], sent+n
	}
	return sent, s.unsent()
}

// reserve waits until some bytes may be sent.
func (s *Stream) reserve(want int) (int, error) {
	c := s.conn
	for {
		n := min(int64(want), s.room, c.room, int64(c.peer.frame))
		switch err := s.unsent(); {
		case err != nil:
			return 0, err
		case len(c.pending) >= fullOutbox && c.writing:
			c.crowd = append(c.crowd, s)
			s.awaitRoom()
		case len(c.pending) >= fullOutbox, n <= 0 && len(c.pending) > 0 && !c.writing:
			c.flush() // others may change anything meanwhile
		case n <= 0:
			s.awaitRoom()
		default:
			s.room -= n
			c.room -= n
			s.pace.full = time.Time{}
			return int(n), nil
		}
	}
}

// unsent is why nothing can be sent; nil if it can.
func (s *Stream) unsent() error {
	switch {
	case s.err != nil:
		return s.err
	case s.outEnded:
		return errFinished
	case s.writeBy.passed:
		return errDeadline
	}
	return s.conn.cause
}

// Flush sees to it that everything leaves.
func (s *Stream) Flush() error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	return s.unsent()
}

// CloseWrite ends the body well.
func (s *Stream) CloseWrite() error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := s.unsent(); err != nil {
		return err
	}
	c.sendData(s.id, nil, true)
	s.endOut()
	c.flush()
	return nil
}

// Abort ends the stream such that nobody can take what it has sent for complete.
func (s *Stream) Abort() { s.Reset(http2.ErrCodeInternal) }

// Reset is Abort with another code.
func (s *Stream) Reset(code http2.ErrCode) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s.reset(code, ErrReset)
	c.flush()
}

// reset tells the peer, unless the stream has ended already. The mutex is held.
func (s *Stream) reset(code http2.ErrCode, cause error) {
	if s.err != nil || s.inEnded && s.outEnded {
		return
	}
	s.conn.sendReset(s.id, code)
	s.drop(cause)
}

// drop ends the stream without a word. The mutex is held.
func (s *Stream) drop(cause error) {
	if s.err == nil {
		s.err = cause
	}
	s.forget()
}

func (s *Stream) endOut() {
	s.outEnded = true
	if s.inEnded {
		s.forget()
	}
	s.changed.Broadcast()
}

func (s *Stream) endIn() {
	s.inEnded = true
	if s.outEnded {
		s.forget()
	}
	s.changed.Broadcast()
}

// forget takes the stream off the connection. What has come may still be read, unless it was reset. The mutex is held.
func (s *Stream) forget() {
	c := s.conn
	if s.err != nil {
		s.stop(s.err)
		if !s.inEnded {
			c.giveBack(s.body.discard())
		}
	}
	s.changed.Broadcast()
	if s.outEnded || s.err != nil {
		s.pace.stop()
	}
	if c.streams[s.id] != s {
		return
	}
	delete(c.streams, s.id)
	if len(c.streams) == 0 {
		c.rested = time.Now()
		if c.finishing {
			c.wake()
		}
		c.end.idle()
	}
}
