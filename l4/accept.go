package l4

import (
	"net"
	"sync"
	"time"

	"github.com/fairlead/fairlead/relay"
)

// tcpSocket accepts the connections of one address.
type tcpSocket struct {
	front    *Front
	key      socketKey
	listener net.Listener

	mu       sync.Mutex      // guards what follows, and that the one does not begin while the other ends
	acceptor *relay.Acceptor // on loops, if there are any; it has the listener then
	closed   bool
}

func (f *Front) listenTCP(key socketKey, beside bool) (socket, error) {
	listener, err := relay.Listen(key.address, beside)
	if err != nil {
		return nil, err
	}
	return &tcpSocket{front: f, key: key, listener: listener}, nil
}

func (s *tcpSocket) address() net.Addr { return s.listener.Addr() }

func (s *tcpSocket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.acceptor != nil {
		s.acceptor.Close()
		s.acceptor = nil
		return nil
	}
	return s.listener.Close()
}

func (s *tcpSocket) run() {
	if !s.onLoops() {
		s.front.acceptFrom(s.listener, s.key, s.begin)
	}
}

// onLoops has loops accept, if there are any.
func (s *tcpSocket) onLoops() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	listener, ok := s.listener.(*net.TCPListener)
	if s.closed || !ok {
		return s.closed
	}
	var err error
	s.acceptor, err = relay.Accept(listener,
		func(client relay.Socket) { s.front.accepted(client, s.key) },
		func(err error, pause time.Duration) { s.front.unaccepted(s.key, err, pause) })
	if err != nil {
		s.front.log.Warn("connections are accepted one by one", "listener", s.key.String(), "error", err)
	}
	return s.acceptor != nil
}

// acceptFrom accepts until the listener is closed.
func (f *Front) acceptFrom(listener net.Listener, key socketKey, begin func(net.Conn)) {
	relay.AcceptAll(listener, begin, func(err error, pause time.Duration) { f.unaccepted(key, err, pause) })
}

func (f *Front) unaccepted(key socketKey, err error, pause time.Duration) {
	f.metrics.acceptErrors.Inc()
	f.log.Warn("a connection could not be accepted", "listener", key.String(), "error", err, "pause", pause)
}

func (s *tcpSocket) begin(conn net.Conn) {
	if !s.front.stories.Begin() {
		conn.Close()
		return
	}
	go s.front.serve(conn, conn.RemoteAddr(), s.key, s.front.table.Load())
}
