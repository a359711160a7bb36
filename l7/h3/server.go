package h3

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/h2"
)

const (
	headerTimeout = h2.HeaderTimeout
	// lastPackets is how long a client has to take what was sent last.
	lastPackets = time.Second
)

// Server takes the connections of one socket. Set its fields before Serve, which is called once; it must not be copied
// after.
type Server struct {
	// Handler answers one request, in a goroutine of its own. When it returns, a stream that it has not ended is reset.
	Handler func(*Stream, *h2.Request)
	// TooLarge answers a request whose header is larger than MaxHeader; all of it may be missing.
	TooLarge func(*Stream, *h2.Request)

	IdleTimeout  time.Duration // of a connection without a request; zero means the default of h2, as do the next two
	BodyTimeout  time.Duration // as of h2.Server
	StallTimeout time.Duration // as of h2.Server
	MaxHeader    int           // bytes of a header; zero means the default of h2

	mu      sync.Mutex // guards the fields below
	conns   map[*conn]struct{}
	stop    context.CancelFunc // of accepting; nil before Serve
	ended   chan struct{}      // closed when Serve returns
	leaving bool
}

// Listener is quic-go's.
type Listener interface {
	Accept(context.Context) (*quic.Conn, error)
}

// Serve takes connections until ctx is over or Leave is called, and returns nil when the last of them has ended. An error
// is the listener's.
func (s *Server) Serve(ctx context.Context, from Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !s.open(stop) {
		return nil
	}
	defer close(s.ended)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer s.Leave()
	for {
		accepted, err := from.Accept(ctx)
		if ctx.Err() != nil {
			if err == nil {
				_ = accepted.CloseWithError(noError, "")
			}
			return nil
		}
		if err != nil {
			return err
		}
		serving.Go(newConn(s, accepted).serve)
	}
}

// open is false if the server was left before it began.
func (s *Server) open(stop context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop, s.ended = stop, make(chan struct{})
	s.conns = map[*conn]struct{}{}
	return !s.leaving
}

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.leaving {
		s.conns[c] = struct{}{}
	}
	return !s.leaving
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Leave takes no new connection and no new request. Connections end soon after their last requests.
func (s *Server) Leave() {
	for _, c := range s.shut() {
		c.leave()
	}
}

func (s *Server) shut() (all []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
	if s.stop != nil {
		s.stop()
	}
	for c := range s.conns {
		all = append(all, c)
	}
	return all
}

// Shutdown leaves, and returns when Serve has returned or ctx is over.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Leave()
	select {
	case <-s.over():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes all connections, and returns when Serve has returned.
func (s *Server) Close() {
	for _, c := range s.shut() {
		_ = c.CloseWithError(noError, "")
	}
	<-s.over()
}

// over is closed when nobody is served any more.
func (s *Server) over() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = make(chan struct{})
		close(s.ended)
	}
	return s.ended
}

func (s *Server) maxHeader() int { return cmp.Or(s.MaxHeader, h2.MaxHeader) }

func (s *Server) idleTimeout() time.Duration { return cmp.Or(s.IdleTimeout, h2.IdleTimeout) }

func (s *Server) bodyTimeout() time.Duration { return cmp.Or(s.BodyTimeout, h1.BodyTimeout) }

func (s *Server) stallTimeout() time.Duration { return cmp.Or(s.StallTimeout, h2.StallTimeout) }
