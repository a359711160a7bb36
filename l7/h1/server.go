package h1

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/relay"
)

// Defaults of a Server.
const (
	HeaderTimeout    = 10 * time.Second
	BodyTimeout      = 20 * time.Second
	KeepAliveTimeout = 120 * time.Second
	StallTimeout     = 5 * time.Minute
)

// Server is the side towards visitors: plain connections are served on event loops where there are any (Linux), all others
// by a goroutine each. Set its fields before the first use; it must not be copied after.
type Server struct {
	// Handler answers a request. When it returns, the answer must be finished, aborted or upgraded, and nobody may read
	// the body or hold a string of the request any longer. ctx is over when the visitor has left. It may run on an event
	// loop: before it waits for anything but the visitor and what a Client brings, or computes for long, it calls MayBlock.
	Handler func(ctx context.Context, in *Incoming)
	// Refuse answers what is no request. Method and target may be empty, there is no body, and the connection ends after
	// it. Nil: an empty answer.
	Refuse func(ctx context.Context, in *Incoming, why *Malformed)
	// HTTP2 is given a cleartext connection that begins as HTTP/2, with nothing read from it, and owns it from then on.
	// It may block. Nil: such a connection is a request of a version that is not served.
	HTTP2 func(net.Conn)

	HeaderTimeout time.Duration // for a whole head, from its first byte or the accept on; zero means the default
	// BodyTimeout is how long the visitor may be slower than 500 bytes a second with his body before the answer has
	// begun; zero means the default.
	BodyTimeout      time.Duration
	KeepAliveTimeout time.Duration // between two requests; zero means the default
	// StallTimeout is how long a write may wait for a visitor who takes nothing of his answer; zero means the default.
	StallTimeout time.Duration
	// ParkAfter is how long a kept connection is idle before it waits without a goroutine, where there are loops (Linux);
	// zero means the default.
	ParkAfter time.Duration
	// Goroutines serve all connections.
	Goroutines bool
	Log        *slog.Logger // nil: slog.Default

	watcher watcher
	spare   sync.Pool // of *Incoming
	leaving atomic.Bool

	mu        sync.Mutex // guards the fields below
	listeners map[net.Listener]struct{}
	conns     map[*inbound]struct{}
	empty     chan struct{} // closed when the server is leaving and the last connection has ended
}

// Serve accepts on l, which it closes, until Shutdown, and then returns nil; if l is closed otherwise, the error is
// net.ErrClosed.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	if !s.listens(l, true) {
		return nil
	}
	defer s.listens(l, false)
	s.accept(l)
	if s.leaving.Load() {
		return nil
	}
	return net.ErrClosed
}

// accept returns when the listener is closed.
func (s *Server) accept(l net.Listener) {
	trouble := func(err error, pause time.Duration) {
		s.log().Warn("a connection could not be accepted", "listener", l.Addr(), "error", err, "pause", pause)
	}
	if sockets, ok := l.(relay.SocketListener); ok && !s.Goroutines {
		take := func(socket relay.Socket) { s.serveSocket(socket, l.Addr()) }
		if closed := sockets.OnLoops(take, s.Take, trouble); closed != nil {
			<-closed
			return
		}
	}
	relay.AcceptAll(l, s.Take, trouble)
}

// Take serves a connection, which it owns, on a loop or in a goroutine of its own, and returns at once. TLS can be on a loop
// if it stands on a Link and its handshake is over.
func (s *Server) Take(conn net.Conn) {
	if !s.serveOnLoop(conn) {
		go s.ServeConn(conn)
	}
}

// ServeConn serves one connection, which it owns, and returns at its end. A TLS connection needs no handshake before.
func (s *Server) ServeConn(conn net.Conn) {
	c := newInbound(s, conn)
	if !s.enter(c) {
		conn.Close()
		return
	}
	c.serve()
}

// Shutdown stops accepting, ends idle connections at once and the others after their answer, and returns when the last
// one has ended, or with the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.leave() {
		c.hurry()
	}
	select {
	case <-s.empty:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends all connections.
func (s *Server) Close() {
	for _, c := range s.leave() {
		c.ctx.Leave(errServerClosed)
		if c.phase.CompareAndSwap(idle, over) || !c.dismiss(true) { // what is idle now must not be parked
			c.close()
		}
	}
	s.watcher.close()
}

// leave returns the connections that are there. None comes after.
func (s *Server) leave() []*inbound {
	for _, l := range s.goodbye() {
		l.Close() // waits for loops, and those for the mutex
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

func (s *Server) goodbye() []net.Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving.Store(true)
	if s.empty == nil {
		s.empty = make(chan struct{})
		s.check()
	}
	return slices.Collect(maps.Keys(s.listeners))
}

func (s *Server) listens(l net.Listener, begin bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !begin {
		delete(s.listeners, l)
		return true
	}
	if s.listeners == nil {
		s.listeners = make(map[net.Listener]struct{})
	}
	s.listeners[l] = struct{}{}
	return !s.leaving.Load()
}

func (s *Server) enter(c *inbound) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving.Load() {
		return false
	}
	if s.conns == nil {
		s.conns = make(map[*inbound]struct{})
	}
	s.conns[c] = struct{}{}
	return true
}

// exit may be called twice.
func (s *Server) exit(c *inbound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.conns[c]; there {
		delete(s.conns, c)
		s.check()
	}
}

// check with the mutex held.
func (s *Server) check() {
	if s.leaving.Load() && len(s.conns) == 0 {
		close(s.empty)
	}
}

func (s *Server) log() *slog.Logger { return cmp.Or(s.Log, slog.Default()) }

func (s *Server) headerTimeout() time.Duration { return cmp.Or(s.HeaderTimeout, HeaderTimeout) }

func (s *Server) bodyTimeout() time.Duration { return cmp.Or(s.BodyTimeout, BodyTimeout) }

func (s *Server) stallTimeout() time.Duration { return cmp.Or(s.StallTimeout, StallTimeout) }

func (s *Server) parkAfter() time.Duration { return cmp.Or(s.ParkAfter, ParkAfter) }

func (s *Server) keepAliveTimeout() time.Duration {
	return cmp.Or(s.KeepAliveTimeout, KeepAliveTimeout)
}
