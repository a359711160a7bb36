package h3

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"
	"golang.org/x/time/rate"
)

// conn is one connection.
type conn struct {
	*quic.Conn
	server  *Server
	usual   *rate.Limiter // faults, and requests that are begun only to be reset: HTTP/2's server counts them too (case B139)
	peers   [qpackDecoder + 1]atomic.Bool
	urgency urgency

	// The accepting goroutine's:
	handshake *tls.ConnectionState // nil before the first request
	addr      net.Addr             // of the peer: it may move
	remote    string               // is addr

	handlers sync.WaitGroup

	mu      sync.Mutex       // guards the fields below
	control *quic.SendStream // ours; nil before it is open
	busy    int              // requests
	next    quic.StreamID    // of the request after the last that was taken
	rested  time.Time        // since when there is no request
	leaving bool
	timer   *time.Timer // of idleness
}

func newConn(s *Server, accepted *quic.Conn) *conn {
	return &conn{Conn: accepted, server: s, usual: rate.NewLimiter(20, 400), rested: time.Now()}
}

// serve returns when the connection has ended and every handler has returned.
func (c *conn) serve() {
	if !c.server.add(c) {
		_ = c.CloseWithError(noError, "")
		return
	}
	defer c.server.remove(c)
	defer c.handlers.Wait()
	defer c.mind().Stop()
	if err := c.greet(); err != nil {
		_ = c.CloseWithError(internalError, "")
		return
	}
	go c.hear()
	for {
		stream, err := c.AcceptStream(context.Background())
		if err != nil {
			return
		}
		c.begin(stream)
	}
}

// begin lets the handler run.
func (c *conn) begin(stream *quic.Stream) {
	if !c.take(stream.StreamID()) {
		stream.CancelRead(requestRejected)
		stream.CancelWrite(requestRejected)
		return
	}
	if c.handshake == nil {
		state := c.ConnectionState().TLS // a request comes after it
		c.handshake = &state
	}
	if addr := c.RemoteAddr(); addr != c.addr {
		c.addr, c.remote = addr, addr.String()
	}
	s := &Stream{
		conn: c, quic: stream, remote: c.remote, declared: -1,
		in: newInflow(stream), outflow: newOutflow(c.server.stallTimeout()),
	}
	s.pace.patience, s.pace.most = c.server.bodyTimeout(), c.server.bodyTimeout()
	c.handlers.Add(1)
	go c.handle(s)
}

// take counts a request in, unless the peer knows that we take none any more.
func (c *conn) take(id quic.StreamID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving && id >= c.next {
		return false
	}
	c.next = max(c.next, id+4)
	c.busy++
	return true
}

// handle is a request's goroutine.
func (c *conn) handle(s *Stream) {
	defer c.handlers.Done()
	defer c.done()
	defer s.end()
	r, err := s.request()
	switch {
	case err == nil:
		c.urgency.heed(s.quic, r.Fields)
		c.server.Handler(s, r)
	case errors.Is(err, errTooLarge):
		c.server.TooLarge(s, r)
	default:
		_ = s.refuse(err)
	}
	if err != nil || s.torn || !s.closed && s.wasReset() {
		c.annoyed()
	}
}

// wasReset says whether the peer did not want the rest of the answer.
func (s *Stream) wasReset() bool {
	var reset *quic.StreamError
	return errors.As(s.gone(), &reset) && reset.Remote
}

func (c *conn) annoyed() {
	if !c.usual.Allow() {
		_ = c.CloseWithError(excessiveLoad, "too many requests were reset")
	}
}

func (c *conn) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy--; c.busy == 0 {
		c.rested = time.Now()
		c.part()
	}
}

// part ends a connection that was left and has no request. Clients do not close idle ones. The mutex is held.
func (c *conn) part() {
	if c.leaving && c.busy == 0 {
		time.AfterFunc(lastPackets, c.close)
	}
}

func (c *conn) close() { _ = c.CloseWithError(noError, "") }

// leave tells the client which requests are still answered (RFC 9114 section 5.2).
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving {
		return
	}
	c.leaving = true
	c.part()
	c.tell()
}

// tell with the mutex held, as soon as there is a way to.
func (c *conn) tell() {
	if c.leaving && c.control != nil {
		go c.goAway(c.next)
	}
}

func (c *conn) goAway(from quic.StreamID) {
	id := quicvarint.Append(nil, uint64(from))
	_, _ = c.control.Write(append([]byte{frameGoAway, byte(len(id))}, id...)) // a connection that has ended needs none
}

// mind closes the connection when it was idle for too long. One timer looks now and then: a request costs none.
func (c *conn) mind() *time.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(c.server.idleTimeout(), c.judge)
	return c.timer
}

// judge is the timer's.
func (c *conn) judge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := c.server.idleTimeout()
	left := limit
	if c.busy == 0 {
		left -= time.Since(c.rested)
	}
	if left > 0 {
		c.timer.Reset(left)
		return
	}
	go c.close()
}
