package l7

import (
	"context"
	"net"
	"net/http"

	"github.com/fairlead/fairlead/l7/h1"
)

// newServer is the front end for HTTP/1.1.
func newServer(f *Front) *h1.Server {
	return &h1.Server{Handler: f.tell1, Refuse: f.refuse1, HTTP2: f.serveHTTP2, Log: f.log}
}

// Serve accepts HTTP/1.1 on l until Drain, and then returns nil. It may be called for several listeners.
func (f *Front) Serve(l net.Listener) error { return f.server.Serve(l) }

// tell1 has the story of a request told that came by HTTP/1.1.
func (f *Front) tell1(ctx context.Context, in *h1.Incoming) {
	x := exchange1(in)
	f.Tell(ctx, x)
	*x = Exchange{}
}

// refuse1 answers what is no request, and writes it down.
func (f *Front) refuse1(ctx context.Context, in *h1.Incoming, why *h1.Malformed) {
	f.turnAway(ctx, exchange1(in), why)
}

// exchange1 has one Exchange for all requests of an Incoming.
func exchange1(in *h1.Incoming) *Exchange {
	x, ok := in.Keep.(*Exchange)
	if !ok {
		x = new(Exchange)
		in.Keep = x
	}
	*x = Exchange{
		Method: in.Method, Target: in.Target, Host: in.Host, Proto: in.Proto,
		Header: in.Header, Body: in.Body, Length: in.Length, Trailer: in.Trailer,
		Remote: in.Remote, TLS: in.TLS != nil, Handshake: in.TLS,
		Answer: in, Outlives: true,
	}
	if x.TLS {
		x.Local = in.LocalAddr()
	}
	return x
}

// malformed is the refusal of what is no request.
func malformed(m *h1.Malformed) refusal {
	r := refusal{status: m.Status, reason: reasonBadRequest, detail: "This is no HTTP request: " + m.Why + ".", close: true}
	switch m.Status {
	case http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestURITooLong:
		r.reason, r.detail = reasonTooLarge, "The request is too large: "+m.Why+"."
	case http.StatusRequestTimeout:
		r.reason, r.detail = reasonTooSlow, "The request is too slow: "+m.Why+"."
	}
	return r
}
