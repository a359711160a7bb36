package l7

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/time/rate"

	"github.com/fairlead/fairlead/l7/h2"
	"github.com/fairlead/fairlead/l7/h3"
)

// ProtocolHTTP3 is what a handshake over QUIC agrees on.
const ProtocolHTTP3 = "h3"

const (
	quicIdle      = time.Minute      // a silent peer is gone after it
	quicKeepAlive = 25 * time.Second // so that one who is there is not silent: sockets may be for days
	quicStreams   = 250              // requests of one connection at the same time
	quicWindow    = 2 << 20          // of one request's body
	quicTotal     = 8 << 20          // the same over a connection
)

// pace is what a visitor must keep, as h2.Server has it.
type pace struct {
	body  time.Duration // how long his body may be too slow before the answer has begun
	stall time.Duration // how long he may take nothing of an answer
}

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
	server := newHTTP3(f)
	defer f.quic.add(server, portOf(socket.LocalAddr()))()
	return server.Serve(ctx, listener)
}

func newHTTP3(f *Front) *h3.Server {
	return &h3.Server{
		Handler: func(s *h3.Stream, r *h2.Request) {
			defer f.survive(s.Abort)
			f.Tell(s.Context(), http3Exchange(s, r))
		},
		TooLarge: func(s *h3.Stream, r *h2.Request) {
			defer f.survive(s.Abort)
			f.turnAway(s.Context(), http3Exchange(s, r), errHeaderTooLarge)
		},
		BodyTimeout: f.pace.body, StallTimeout: f.pace.stall,
	}
}

func http3Exchange(s *h3.Stream, r *h2.Request) *Exchange {
	// Only the end of the stream says that there is no body. Where one would be a surprise it is waited for, or no GET
	// could be repeated.
	if r.Length < 0 && safe(r.Method) && s.EndsAtOnce() {
		r.Length = 0
	}
	x := streamExchange(s, r)
	x.Proto, x.Remote, x.TLS, x.Handshake = "HTTP/3.0", s.Remote(), true, s.Handshake()
	return x
}

// suspicious makes clients prove their address, which costs them a round trip, while many come at once: an address that
// was made up would have us send more than we got.
func suspicious() func(net.Addr) bool {
	usual := rate.NewLimiter(200, 400)
	return func(net.Addr) bool { return !usual.Allow() }
}
