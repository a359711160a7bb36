package l7

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/time/rate"
)

const (
	quicIdle      = time.Minute      // a silent peer is gone after it
	quicKeepAlive = 25 * time.Second // so that one who is there is not silent: sockets may be for days
	quicStreams   = 250              // requests of one connection at the same time
	quicWindow    = 2 << 20          // of one request's body
	quicTotal     = 8 << 20          // the same over a connection
)

// ServeHTTP3 serves HTTP/3 on a socket, which it owns, until ctx is over or Drain, and then returns nil. Connections may
// go on for a while after ctx is over: no new one begins. 0-RTT is off: what comes so may have been sent before by
// somebody else (case B137).
func (f *Front) ServeHTTP3(ctx context.Context, socket net.PacketConn, config *tls.Config) error {
	transport := &quic.Transport{Conn: socket, VerifySourceAddress: suspicious()}
	defer socket.Close()
	defer transport.Close()
	listener, err := transport.ListenEarly(config, &quic.Config{
		MaxIdleTimeout: quicIdle, KeepAlivePeriod: quicKeepAlive, HandshakeIdleTimeout: handshakeTimeout,
		MaxIncomingStreams: quicStreams, MaxIncomingUniStreams: 8,
		MaxStreamReceiveWindow: quicWindow, MaxConnectionReceiveWindow: quicTotal,
	})
	if err != nil {
		return err
	}
	defer listener.Close()
	server := newQUICServer(f, portOf(socket.LocalAddr()))
	defer f.quic.add(server)()
	defer context.AfterFunc(ctx, server.begin)()
	if err := server.http.ServeListener(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-server.ended
	return nil
}

const (
	maxHeader   = 128 << 10
	idleTimeout = 2 * time.Minute
)

// suspicious makes clients prove their address, which costs them a round trip, while many come at once: an address that
// was made up would have us send more than we got.
func suspicious() func(net.Addr) bool {
	usual := rate.NewLimiter(200, 400)
	return func(net.Addr) bool { return !usual.Allow() }
}
