package l7

import (
	"crypto/tls"
	"net"
	"net/http"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/h2"
)

// serveHTTP2 takes one connection that speaks HTTP/2, over TLS or by prior knowledge, and owns it. It returns when the
// connection has ended.
func (f *Front) serveHTTP2(conn net.Conn) { f.h2.Serve(conn) }

func newHTTP2(f *Front) *h2.Server {
	return &h2.Server{
		Handler: func(s *h2.Stream, r *h2.Request) {
			defer f.survive(s.Abort)
			f.Tell(s.Context(), http2Exchange(s, r))
		},
		TooLarge: func(s *h2.Stream, r *h2.Request) {
			defer f.survive(s.Abort)
			f.turnAway(s.Context(), http2Exchange(s, r), errHeaderTooLarge)
		},
	}
}

var errHeaderTooLarge = &h1.Malformed{Status: http.StatusRequestHeaderFieldsTooLarge, Why: "its header is too large"}

func http2Exchange(s *h2.Stream, r *h2.Request) *Exchange {
	x := streamExchange(s, r)
	x.Proto, x.Remote = "HTTP/2.0", s.Conn().RemoteAddr().String()
	if secure, ok := s.Conn().(*tls.Conn); ok {
		state := secure.ConnectionState()
		x.TLS, x.Handshake, x.Local = true, &state, secure.LocalAddr()
	}
	return x
}
