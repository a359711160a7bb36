package l7

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

// stream is one exchange on a connection that carries many: HTTP/2's or HTTP/3's.
type stream interface {
	io.ReadWriter
	Context() context.Context
	Header(status int, h fields.List, last bool) error
	Flush() error
	CloseWrite() error
	CloseWithTrailer(trailer fields.List) error
	Abort()
	StopReading()
	Trailer() (trailer fields.List, ended bool)
	Patient()
	Tunnel() net.Conn
}

// streamExchange turns a stream into an Exchange. An extended CONNECT counts as the handshake that an app of HTTP/1.1 gets.
func streamExchange(s stream, r *h2.Request) *Exchange {
	both := &struct { // one allocation
		Exchange
		answer streamAnswer
	}{}
	both.answer = streamAnswer{stream: s, noBody: r.Method == http.MethodHead}
	x := &both.Exchange
	*x = Exchange{
		Method: r.Method, Target: r.Path, Host: r.Authority, Protocol: r.Protocol,
		Header: r.Fields, Length: r.Length,
		Answer: &both.answer,
	}
	joinCookies(&x.Header)
	if r.Protocol != "" {
		x.Method, x.Length = http.MethodGet, 0
		spellSockets(x.Header)
		return x
	}
	if r.Length != 0 {
		x.Body, x.Trailer = s, trailerOf(x.Header, s)
		if x.Header.HasMember("Expect", "100-continue") {
			both.answer.expects.waits = true
			x.Body = awaited{s, &both.answer}
		}
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
func trailerOf(h fields.List, s stream) func() fields.List {
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

// streamAnswer is the Answer on a stream.
type streamAnswer struct {
	stream
	noBody  bool // of any answer: HEAD
	ended   bool
	expects expectation
}

func (a *streamAnswer) Interim(status int, h fields.List) error {
	return a.expects.met(status, func() error { return a.interim(status, h) })
}

func (a *streamAnswer) interim(status int, h fields.List) error {
	if err := a.Header(status, h, false); err != nil {
		return err
	}
	return a.stream.Flush()
}

// Start sends an answer without a body as one frame: so do the trailers-only answers of gRPC have to come (case B128).
func (a *streamAnswer) Start(status int, h fields.List, length int64) error {
	a.ended = length == 0 || a.noBody
	if status == http.StatusNotModified {
		h.Del("Content-Length") // net/http's client of HTTP/2 would miss the body
	}
	return a.expects.met(status, func() error { return a.Header(status, dated(h), a.ended) })
}

// dated has a Date: who forwards an answer without one adds it (RFC 9110 section 6.6.1).
func dated(h fields.List) fields.List {
	if !h.Has("Date") {
		h.Add("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return h
}

func (a *streamAnswer) Flush() error {
	if a.ended {
		return nil // it left with the header
	}
	return a.stream.Flush()
}

// Finish has nobody left to tell of an error.
func (a *streamAnswer) Finish(trailer fields.List) {
	switch {
	case a.ended:
	case len(trailer) > 0:
		_ = a.CloseWithTrailer(trailer)
	default:
		_ = a.CloseWrite()
	}
}

// Upgrade accepts an extended CONNECT: there is no 101 in HTTP/2, and no key to prove anything with (RFC 8441 section 5).
func (a *streamAnswer) Upgrade(h fields.List) (net.Conn, []byte, error) {
	h.Del("Sec-WebSocket-Accept")
	if err := a.Header(http.StatusOK, dated(h), false); err != nil {
		return nil, nil, err
	}
	return a.Tunnel(), nil, a.stream.Flush()
}
