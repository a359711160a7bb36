package h2

import (
	"cmp"
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// Defaults of a Server.
const (
	MaxStreams    = 250
	MaxHeader     = 128 << 10
	IdleTimeout   = 2 * time.Minute
	HeaderTimeout = 10 * time.Second
	StallTimeout  = 5 * time.Minute
)

// Server takes connections that speak HTTP/2, over TLS or not. Set its fields before the first use; it must not be copied
// after.
type Server struct {
	// Handler answers one request, in a goroutine of its own. When it returns, a stream that it has not ended is reset.
	Handler func(*Stream, *Request)
	// TooLarge answers a request whose header list is larger than MaxHeader; a part of it may be missing. One that is more
	// than twice as large ends the connection.
	TooLarge func(*Stream, *Request)

	IdleTimeout time.Duration // of a connection without a stream; zero means the default
	// BodyTimeout is that of h1.Server: how long a client may be slower than 500 bytes a second with a body before the
	// answer has begun; zero means the default of h1. A handler may lift it.
	BodyTimeout time.Duration
	// StallTimeout is how long a client may take nothing of an answer that waits for it; zero means the default. Tunnels
	// wait for as long as it takes.
	StallTimeout time.Duration
	MaxHeader    int    // bytes of a header list; zero means the default
	MaxStreams   uint32 // at the same time on one connection; zero means the default

	mu      sync.Mutex // guards the fields below
	conns   map[*conn]struct{}
	leaving bool
	serving sync.WaitGroup
}

// Serve takes one connection and owns it. It returns when the connection is over and every handler has returned.
func (s *Server) Serve(raw net.Conn) {
	d := &door{conn: newConn(raw, s.limits()), server: s}
	d.conn.end = d
	if !s.add(d.conn) {
		raw.Close()
		return
	}
	defer s.remove(d.conn)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d.ctx = ctx
	d.serve()
	d.handlers.Wait()
}

func (s *Server) limits() limits {
	l := limits{
		header: s.MaxHeader, idle: s.IdleTimeout,
		stream: 512 << 10, total: 4 << 20,
		begin: HeaderTimeout, frame: 3 * HeaderTimeout, silence: 30 * time.Second, answer: 15 * time.Second,
		body: cmp.Or(s.BodyTimeout, h1.BodyTimeout), stall: cmp.Or(s.StallTimeout, StallTimeout),
	}
	l.header, l.idle = cmp.Or(l.header, MaxHeader), cmp.Or(l.idle, IdleTimeout)
	return l
}

func (s *Server) maxStreams() uint32 { return cmp.Or(s.MaxStreams, MaxStreams) }

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving {
		return false
	}
	if s.conns == nil {
		s.conns = map[*conn]struct{}{}
	}
	s.conns[c] = struct{}{}
	s.serving.Add(1)
	return true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.serving.Done()
}

// Shutdown tells all clients to go, and returns when every connection has ended, or when ctx is over.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.shut() {
		c.leave()
	}
	ended := make(chan struct{})
	go s.wait(ended)
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) wait(ended chan struct{}) {
	s.serving.Wait()
	close(ended)
}

func (s *Server) shut() (all []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
	for c := range s.conns {
		all = append(all, c)
	}
	return all
}

// Close closes all connections.
func (s *Server) Close() {
	for _, c := range s.shut() {
		c.over(net.ErrClosed)
		c.Conn.Close()
	}
}

// door is the server's end of a connection.
type door struct {
	*conn
	server   *Server
	ctx      context.Context
	handlers sync.WaitGroup
	busy     uint32 // handlers at work, whether their streams have ended or not; guarded by the connection's mutex
}

func (d *door) serve() {
	c := d.conn
	c.mu.Lock()
	c.greet(
		http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: d.server.maxStreams()},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: uint32(c.limits.header)},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(c.limits.stream)},
		http2.Setting{ID: http2.SettingEnableConnectProtocol, Val: 1}, // RFC 8441
		http2.Setting{ID: http2.SettingNoRFC7540Priorities, Val: 1},   // RFC 9218
	)
	c.kick()
	c.mu.Unlock()
	if err := c.preface(); err != nil {
		c.part(err)
		return
	}
	_ = c.run()
}

// preface reads what every client begins with (RFC 9113 section 3.4).
func (c *conn) preface() error {
	if err := c.SetReadDeadline(time.Now().Add(c.limits.begin)); err != nil {
		return err
	}
	p, err := c.reader.Peek(len(http2.ClientPreface))
	if err != nil {
		return err
	}
	if string(p) != http2.ClientPreface {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	_, err = c.reader.Discard(len(p))
	return err
}

func (d *door) goAway(*http2.GoAwayFrame) {} // it takes nothing from us that we have begun

func (d *door) settled() {}

func (d *door) idle() {}
