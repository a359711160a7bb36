package l4

import (
	"errors"
	"net"
	"sync"

	"github.com/fairlead/fairlead/relay"
)

// Share lets our routes by server name have a part of a listener that somebody else serves. The listener that it returns
// gives him all other connections, as if nothing had been read of them; where a trusted proxy says for whom it speaks,
// they come from there. The address is the configured one; closing the listener that is returned closes inner.
func (f *Front) Share(address string, inner net.Listener) net.Listener {
	s := &shared{
		Listener: inner, front: f, key: socketKey{"tcp", address},
		rest: make(chan net.Conn), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	go s.run()
	return s
}

type shared struct {
	net.Listener
	front *Front
	key   socketKey

	rest   chan net.Conn // for whom it is returned to
	once   sync.Once
	closed chan struct{}
	ended  chan struct{} // the accepting
}

func (s *shared) run() {
	defer close(s.ended)
	s.front.acceptFrom(s.Listener, s.key, s.begin)
}

func (s *shared) Accept() (net.Conn, error) {
	select {
	case conn := <-s.rest:
		return conn, nil
	case <-s.closed:
	case <-s.ended:
	}
	return nil, net.ErrClosed
}

func (s *shared) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Listener.Close()
}

// begin keeps nobody waiting who has nothing to say to us.
func (s *shared) begin(conn net.Conn) {
	table := s.front.table.Load()
	if table.ports[s.key] == nil && !table.proxied[s.key.address] {
		s.give(conn)
		return
	}
	if !s.front.stories.Begin() {
		conn.Close()
		return
	}
	go s.sift(conn)
}

func (s *shared) give(conn net.Conn) {
	select {
	case s.rest <- conn:
	case <-s.closed:
		conn.Close()
	}
}

// sift is the story of one connection, until it is known whose it is. It owns conn.
func (s *shared) sift(conn net.Conn) {
	c := s.front.meet(conn, conn.RemoteAddr(), s.key)
	err := c.find(s.front.table.Load())
	if errors.Is(err, errNoRoute) && !c.postgres {
		defer s.front.stories.End()
		s.give(&handed{Conn: c.client, early: c.early, from: c.remote, to: c.local})
		return
	}
	c.finish(s.front.service, err)
}

// handed is a connection of which the beginning was read, and the proxy before it heard.
type handed struct {
	net.Conn
	early    []byte
	from, to net.Addr
}

func (h *handed) Read(p []byte) (int, error) {
	if len(h.early) == 0 {
		return h.Conn.Read(p)
	}
	n := copy(p, h.early)
	if h.early = h.early[n:]; len(h.early) == 0 {
		h.early = nil
	}
	return n, nil
}

func (h *handed) RemoteAddr() net.Addr { return h.from }

func (h *handed) LocalAddr() net.Addr { return h.to }

func (h *handed) CloseWrite() error { return relay.CloseWrite(h.Conn) }

func (h *handed) SetLinger(seconds int) error { return setLinger(h.Conn, seconds) }
