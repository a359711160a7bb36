package l7

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/h2"
)

// serveHTTP2 takes one connection that speaks HTTP/2, over TLS or by prior knowledge, and owns it. It returns when the
// connection has ended.
func (f *Front) serveHTTP2(conn net.Conn) { f.h2.Serve(conn) }

func newHTTP2(f *Front) *h2.Server {
	return &h2.Server{
		Handler: f.tell2,
		TooLarge: func(s *h2.Stream, r *h2.Request) {
			f.turnAway(s.Context(), http2Exchange(s, r), &h1.Malformed{Status: http.StatusRequestHeaderFieldsTooLarge, Why: "its header is too large"})
		},
	}
}

func (f *Front) tell2(s *h2.Stream, r *h2.Request) { f.Tell(s.Context(), http2Exchange(s, r)) }

// http2Exchange turns a stream into an Exchange. An extended CONNECT counts as the handshake that an app of HTTP/1.1 gets.
func http2Exchange(s *h2.Stream, r *h2.Request) *Exchange {
	x := &Exchange{
		Method: r.Method, Target: r.Path, Host: r.Authority, Proto: "HTTP/2.0", Protocol: r.Protocol,
		Header: r.Fields, Length: r.Length,
		Remote: s.Conn().RemoteAddr().String(),
		Answer: &http2Answer{stream: s, noBody: r.Method == http.MethodHead},
	}
	if secure, ok := s.Conn().(*tls.Conn); ok {
		state := secure.ConnectionState()
		x.TLS, x.Handshake, x.Local = true, &state, secure.LocalAddr()
	}
	joinCookies(&x.Header)
	if r.Protocol != "" {
		x.Method, x.Length = http.MethodGet, 0
		spellSockets(x.Header)
		return x
	}
	if r.Length != 0 {
		x.Body, x.Trailer = s, trailerOf(x.Header, s)
	}
	if asksGRPC(x) {
		s.Patient() // its streams may begin with silence, and have a deadline of their own
	}
	return x
}

// joinCookies puts the crumbs together that a cookie was broken into (RFC 9113 section 8.2.3).
func joinCookies(h *fields.List) {
	if h.Count("Cookie") > 1 {
		h.Set("Cookie", strings.Join(slices.Collect(h.All("Cookie")), "; "))
	}
}

// spellSockets gives names the spelling of RFC 6455, which some apps compare byte by byte (case B088).
func spellSockets(h fields.List) {
	for i := range h {
		for _, name := range [...]string{"Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"} {
			if h[i].Is(name) {
				h[i].Name = name
			}
		}
	}
}

// trailerOf answers with the announced names until there is more to say.
func trailerOf(h fields.List, s *h2.Stream) func() fields.List {
	var announced fields.List
	for name := range h.Members("Trailer") {
		announced.Add(name, "")
	}
	return func() fields.List {
		if trailer, ended := s.Trailer(); ended {
			return trailer
		}
		return announced
	}
}

// http2Answer is the Answer on a stream.
type http2Answer struct {
	stream *h2.Stream
	noBody bool // of any answer: HEAD
	ended  bool
}

func (a *http2Answer) Interim(status int, h fields.List) error {
	if err := a.stream.Header(status, h, false); err != nil {
		return err
	}
	return a.stream.Flush()
}

// Start sends an answer without a body as one frame: so do the trailers-only answers of gRPC have to come (case B128).
func (a *http2Answer) Start(status int, h fields.List, length int64) error {
	a.ended = length == 0 || a.noBody
	return a.stream.Header(status, dated(h), a.ended)
}

// dated has a Date: who forwards an answer without one adds it (RFC 9110 section 6.6.1).
func dated(h fields.List) fields.List {
	if !h.Has("Date") {
		h.Add("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return h
}

func (a *http2Answer) Write(p []byte) (int, error) { return a.stream.Write(p) }

func (a *http2Answer) Flush() error {
	if a.ended {
		return nil // it left with the header
	}
	return a.stream.Flush()
}

// Finish has nobody left to tell of an error.
func (a *http2Answer) Finish(trailer fields.List) {
	switch {
	case a.ended:
	case len(trailer) > 0:
		_ = a.stream.CloseWithTrailer(trailer)
	default:
		_ = a.stream.CloseWrite()
	}
}

func (a *http2Answer) Abort() { a.stream.Reset(http2.ErrCodeInternal) }

func (a *http2Answer) StopReading() { a.stream.StopReading() }

// Upgrade accepts an extended CONNECT: there is no 101 in HTTP/2, and no key to prove anything with (RFC 8441 section 5).
func (a *http2Answer) Upgrade(h fields.List) (net.Conn, []byte, error) {
	h.Del("Sec-WebSocket-Accept")
	if err := a.stream.Header(http.StatusOK, dated(h), false); err != nil {
		return nil, nil, err
	}
	return a.stream.Tunnel(), nil, a.stream.Flush()
}
