package l7

import (
	"io"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/limit"
)

// limits are what an app lets in. What is too much starts nothing.
type limits struct {
	body     int64       // of a request; 0: any
	requests int64       // at once; 0: any
	load     *limit.Load // what counts them; outlives a new configuration
	rate     *limit.Rate // nil: none
	of       conf.RateLimit
}

// limitsOf keeps what was counted under the configuration before, nil for none.
func limitsOf(a *conf.App, before *app) limits {
	l := limits{body: int64(a.MaxBody), requests: int64(a.MaxRequests), of: a.RateLimit, load: &limit.Load{}}
	if before != nil {
		l.load = before.limits.load
	}
	switch {
	case a.RateLimit.Requests == 0:
	case before != nil && before.limits.of == a.RateLimit:
		l.rate = before.limits.rate
	default:
		l.rate = limit.NewRate(a.RateLimit.Requests, a.RateLimit.Within, a.RateLimit.Burst)
	}
	return l
}

// limited says whether the app's limits let the request in.
func (s *story) limited() error {
	l := &s.route.app.limits
	if err := s.tooSoon(); err != nil {
		return err
	}
	if l.body > 0 && s.x.Length > l.body {
		return errTooLarge
	}
	if l.requests > 0 {
		if !l.load.Enter(l.requests) {
			return errBusy
		}
		s.load = l.load
	}
	return nil
}

func (s *story) tooSoon() error {
	rate := s.route.app.limits.rate
	if rate == nil {
		return nil
	}
	if wait := rate.Take(s.outside.address(), s.record.began); wait > 0 {
		return &tooMany{wait}
	}
	return nil
}

// invited says whether the page that probes was given to a visitor who is waiting: his request counted against the rate,
// and the page asks often. Anybody else's probes count as the requests that they are, or they would start an app whose
// rate limit refuses their sender.
func (s *story) invited() bool {
	app := s.front.pool.App(s.route.app.name)
	return app != nil && s.guest.Ticket != 0 && app.Counts(s.guest.Ticket)
}

// bounded is a body that does not say how long it is. One that grows too large ends with an error, by which the app's
// connection is broken: it must not take a part for the whole.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // the byte that would be too many
	}
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, errTooLarge
	}
	return n, err
}

// tooMany is the error of a request that its client made too soon.
type tooMany struct{ wait time.Duration }

func (t *tooMany) Error() string { return "too many requests: another one in " + t.wait.String() }
