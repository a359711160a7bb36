package l7

import (
	"strings"
	"time"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/limit"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// upgraded is what an upgrade keeps of its story, which may be over long before it: what is to be given back, counted and
// written down at its end. There may be many, and each may be idle for days: it is small, and needs no goroutine.
type upgraded struct {
	front   *Front
	lease   pool.Lease
	link    *h1.Detached // to the app; nil: it is not detached
	app     *app
	load    *limit.Load // nil: it is counted in none
	tracing *tracing    // nil: no spans
	began   time.Time
	status  int
	line    *line // of the log; nil: there is none
}

// handOver takes from the story what must outlive it.
func (s *story) handOver(lease pool.Lease) *upgraded {
	s.handed = true
	u := &upgraded{
		front: s.front, lease: lease, app: s.route.app, load: s.load, tracing: s.tracing,
		began: s.record.began, status: s.reply.status,
	}
	if s.front.access.to != nil {
		l := s.line().clone()
		u.line = &l
	}
	u.tracing.describe(s)
	return u
}

// appEnded is that the app has ended its side, by itself or in answer.
func (u *upgraded) appEnded(int64, bool) { u.link.Ended() }

// end runs where the relay's does, and does not block.
func (u *upgraded) end(stats relay.Stats, err error) {
	defer u.front.stories.End()
	if u.link != nil {
		u.link.Over()
	}
	u.lease.Release()
	if u.load != nil {
		u.load.Leave()
	}
	u.app.series.inFlight.Dec()
	u.app.series.requests[class(u.status, err != nil)].Inc()
	if u.line != nil {
		u.line.Bytes, u.line.Aborted, u.line.Seconds = stats.BtoA, err != nil, time.Since(u.began).Seconds()
		u.front.access.post(u.line)
	}
	u.tracing.over(stats.BtoA, err != nil, "")
}

// clone copies what is only lent until the story's end, in one piece.
func (l line) clone() line {
	lent := [...]*string{&l.Client, &l.Host, &l.Method, &l.Path, &l.Proto, &l.Replica, &l.Request, &l.Trace, &l.Agent, &l.Referer}
	var all strings.Builder
	for _, s := range lent {
		all.WriteString(*s)
	}
	rest := all.String()
	for _, s := range lent {
		*s, rest = rest[:len(*s)], rest[len(*s):]
	}
	return l
}
