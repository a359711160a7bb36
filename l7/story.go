package l7

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/compress"
	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/limit"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/trust"
)

// story is what one exchange has come to so far.
type story struct {
	front   *Front
	table   *table
	ctx     context.Context // of the exchange
	x       *Exchange
	reply   reply
	record  record
	tracing *tracing // nil: no spans

	route      *route
	load       *limit.Load // that the request is counted in; nil: none
	asked      target      // what the visitor has asked for
	path       string      // of it, as routes see it
	target     target      // what the app gets
	outside    outside
	navigation bool
	protocols  string // of an upgrade; empty: none is asked for
	key        string // of a handshake that we make; empty: the visitor has made it

	guest   pool.Visitor
	passing *noWake // that the request falls under; nil: it may start the app
	binding binding // of his cookie
	isBound bool
	origin  string          // of the visitor's page, if cross-origin answers are ours
	coding  compress.Coding // that the visitor takes, if answers are compressed

	lost    *h1.Error // the last failed attempt
	writes  int       // upstream connections written to so far
	trying  bool      // an attempt is under way
	handed  bool      // to an upgrade, which ends it
	until   time.Time // of waiting for another attempt
	avoided *pool.Upstream

	out    h1.Request                   // of the present attempt
	relays func(int, fields.List) error // is interim, made once
}

// spare stories serve one exchange after the other.
var spare = sync.Pool{New: func() any {
	s := &story{}
	s.relays = s.interim
	return s
}}

// begin returns nil when the last story was told: nobody is served any more.
func (f *Front) begin(ctx context.Context, x *Exchange) *story {
	if !f.stories.Begin() {
		x.Answer.Abort()
		return nil
	}
	s := spare.Get().(*story)
	s.front, s.table, s.ctx, s.x, s.reply.to = f, f.table.Load(), ctx, x, x.Answer
	s.outside = s.table.trusted.outside(x)
	s.outside.public = s.table.public
	s.record = record{began: time.Now()}
	s.traced()
	return s
}

// end writes down what came of it. Nobody knows the story any more.
func (s *story) end() {
	if !s.handed {
		s.close()
	}
	if s.trying {
		return // it panicked: somebody may still be sending its request's body
	}
	*s = story{relays: s.relays}
	spare.Put(s)
}

func (s *story) close() {
	front := s.front
	defer front.stories.End()
	s.record.took = time.Since(s.record.began)
	if s.route != nil {
		s.route.app.series.inFlight.Dec()
	}
	if s.load != nil {
		s.load.Leave()
	}
	front.count(s)
	if front.access.to != nil {
		l := s.line()
		front.access.write(s.ctx, &l)
	}
	s.tracing.end(s)
}

// find looks up the route, and takes its prefix off the path if it says so.
func (s *story) find() error {
	if s.x.Method == http.MethodConnect {
		return errConnect
	}
	if s.x.Protocol != "" && s.x.Protocol != "websocket" {
		return errProtocol
	}
	if s.x.Target == "*" && s.x.Method == http.MethodOptions {
		return errAllOptions
	}
	var ok bool
	if s.asked, ok = origin(s.x.Target); !ok || !s.unmistakable() {
		return errTarget
	}
	if err := s.directed(); err != nil {
		return err
	}
	s.path = normal(s.asked.path)
	found := s.table.find(s.x.Host, s.path)
	if found == nil {
		return errNoRoute
	}
	s.take(found)
	s.target = s.asked
	if err := s.secure(); err != nil {
		return err
	}
	if found.strip {
		return s.strip()
	}
	return nil
}

// unmistakable says whether the app will take the target for the one that we find the route by. The server of HTTP/1.1 has
// asked already; that of the others is a path (RFC 9113, section 8.3.1).
func (s *story) unmistakable() bool {
	return strings.HasPrefix(s.x.Proto, "HTTP/1") || strings.HasPrefix(s.x.Target, "/") && h1.IsTarget(s.x.Method, s.x.Target)
}

func (s *story) take(r *route) {
	s.route, s.navigation = r, navigates(s.x)
	r.app.series.inFlight.Inc()
	if r.app.requestID {
		s.identify()
	}
	if r.app.cors != nil {
		s.origin = s.x.Header.Get("Origin")
	}
}

func (s *story) strip() error {
	rest, ok := cutPrefix(s.asked.path, s.route.path)
	if !ok {
		return errStrip
	}
	if rest == "" {
		return &redirected{location: s.asked.path + "/" + s.asked.query}
	}
	s.target = s.asked.from(rest)
	return nil
}

// prepare makes what the app gets, the same in every attempt. The visitor's own fields are read before any is removed.
func (s *story) prepare() {
	s.protocols = asksUpgrade(s.x)
	s.guest = s.visitor()
	s.passes()
	if s.route.app.compress {
		s.wishes()
	}
	trailers := s.x.Header.HasMember("TE", "trailers")
	header := &s.x.Header
	stripHops(header, "")
	prefix := ""
	if s.route.strip {
		prefix = s.route.scope
	}
	s.outside.forward(header, prefix)
	s.introduce(header)
	s.table.hideCookies(header)
	if trailers {
		header.Add("TE", "trailers")
	}
	if s.x.Protocol != "" {
		s.key = handshakeKey()
		header.Set("Sec-WebSocket-Key", s.key)
	}
	if s.protocols != "" {
		header.Add("Upgrade", s.protocols)
	}
	if s.record.id != "" {
		header.Set(requestID, s.record.id)
	}
	s.route.app.toApp.apply(header, s)
}

func (s *story) request(body *outgoingBody) *h1.Request {
	r := &s.out
	*r = h1.Request{
		Method: s.x.Method, URI: s.target.String(), Host: cmp.Or(s.route.app.host, s.x.Host), Header: s.x.Header,
		ContentLength: s.x.Length, Trailer: s.trailer(),
		Upgrade: s.protocols != "",
		Fresh:   s.writes > 0,
	}
	if body != nil {
		r.Expect = s.x.Header.HasMember("Expect", "100-continue")
		r.Body, r.Released = s.x.Body, body.release
		if most := s.route.app.limits.body; most > 0 && s.x.Length < 0 {
			r.Body = &bounded{from: s.x.Body, left: most}
		}
	}
	return r
}

// interim relays a 1xx. A 100 that nobody waits for is the app's own affair.
func (s *story) interim(status int, h fields.List) error {
	if status == http.StatusContinue && !s.x.Header.HasMember("Expect", "100-continue") {
		return nil
	}
	stripHops(&h, "")
	h.Del("Content-Length") // it has no body
	if s.x.Answer.Interim(status, h) != nil {
		return errGone
	}
	return nil
}

// failed takes note of an attempt that came to nothing; it says whether the body was begun.
func (s *story) failed(err error) (bodyRead bool) {
	if !errors.As(err, &s.lost) {
		return false
	}
	if s.lost.Sent {
		s.writes++
	}
	if s.ctx.Err() == nil && !errors.Is(err, h1.ErrRequestBody) { // else it was the visitor
		s.front.metrics.failures.WithLabelValues(s.route.app.name, phase(s.lost)).Inc()
	}
	return s.lost.BodyRead
}

// phase as a label.
func phase(e *h1.Error) string {
	if errors.Is(e, trust.ErrRefused) {
		return "tls"
	}
	return [...]string{"dial", "write", "read"}[e.Phase]
}

// mayRepeat decides whether another attempt follows, and until when it may be waited for.
func (s *story) mayRepeat(ctx context.Context, lease pool.Lease, err error) bool {
	if !isLoss(err) || ctx.Err() != nil || !s.route.app.retry.allows(lost{
		method: s.x.Method, hasBody: s.x.Body != nil, bodyRead: s.lost.BodyRead, responded: s.lost.Responded,
		published: s.lost.Published, sent: s.lost.Sent, writes: s.writes,
	}) {
		return false
	}
	if s.until.IsZero() {
		s.until = time.Now().Add(s.patience())
	}
	s.avoided = nil
	if !s.lost.Sent {
		s.avoided = lease.Upstream
	}
	return true
}
