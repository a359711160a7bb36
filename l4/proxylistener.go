package l4

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pires/go-proxyproto"

	"github.com/fairlead/fairlead/relay"
)

// ProxyListener takes PROXY headers off the connections of a listener, where the peer is expected to send one, for fronts
// that ask a connection who its client is. A header of anybody else stays where it is: to HTTP it is a bad request. Loops
// may accept from it (relay.SocketListener).
func ProxyListener(inner net.Listener, expects func(peer netip.Addr) bool) net.Listener {
	p := &proxyListener{expects: expects, socket: inner, closed: make(chan struct{})}
	p.Listener = &proxyproto.Listener{
		Listener: inner, ReadHeaderTimeout: headerFor,
		ConnPolicy: func(o proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			peer, ok := o.Upstream.(*net.TCPAddr)
			if ok && expects(peer.AddrPort().Addr().Unmap()) {
				return proxyproto.REQUIRE, nil
			}
			return proxyproto.SKIP, nil
		},
	}
	return p
}

type proxyListener struct {
	net.Listener
	expects func(netip.Addr) bool
	socket  net.Listener
	closed  chan struct{}
	once    sync.Once

	mu       sync.Mutex      // guards what follows, and that it does not begin while the listener is closed
	acceptor *relay.Acceptor // has the socket, if it is there
}

// OnLoops implements relay.SocketListener.
func (p *proxyListener) OnLoops(take func(relay.Socket), other func(net.Conn), trouble func(error, time.Duration)) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	socket, ok := p.socket.(*net.TCPListener)
	if !ok || p.isClosed() {
		return nil
	}
	acceptor, err := relay.Accept(socket, func(s relay.Socket) {
		if !p.expects(s.Remote.Addr()) {
			take(s)
			return
		}
		if conn, err := s.Conn(); err == nil {
			other(proxyproto.NewConn(conn, proxyproto.WithPolicy(proxyproto.REQUIRE), proxyproto.SetReadHeaderTimeout(headerFor)))
		}
	}, trouble)
	if err != nil || acceptor == nil {
		return nil
	}
	p.acceptor = acceptor
	return p.closed
}

func (p *proxyListener) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// Close must not be called on a loop.
func (p *proxyListener) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.once.Do(func() { close(p.closed) })
	if p.acceptor != nil {
		p.acceptor.Close()
		p.acceptor = nil
		return nil
	}
	return p.Listener.Close()
}
