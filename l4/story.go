package l4

import (
	"context"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// story is what is told of a connection at its end. While it is joined with an app there is nothing else of it here, so an
// idle connection costs little.
type story struct {
	front     *Front
	listener  string         // its address, as it is configured
	from      netip.AddrPort // the client, by its own word or a trusted proxy's
	route     *route         // nil: none is found yet
	record    record
	open      prometheus.Gauge // that counts it; nil: it is none of the app's yet
	lease     pool.Lease       // of what it is joined with
	published *published       // nil unless the app is reached so
}

func (f *Front) begins(listener string, from netip.AddrPort) *story {
	return &story{front: f, listener: listener, from: from, record: record{began: time.Now()}}
}

func (s *story) key() socketKey { return socketKey{"tcp", s.listener} }

// counts makes the connection one of the app's. It keeps the gauge: when it ends the app may be out of the configuration,
// and its series gone or another one.
func (s *story) counts() {
	s.open = s.front.metrics.open.WithLabelValues(s.route.app.name)
	s.open.Inc()
}

// failed tells of an attempt that failed, and returns when the look has settled: nothing is dialled before (P5).
func (s *story) failed(ctx context.Context, lease pool.Lease, err *failure) error {
	s.front.metrics.failures.WithLabelValues(s.route.app.name, err.phase).Inc()
	if relay.Short(err.err) {
		return err.err // that is no replica's fault, and another try would want as much
	}
	s.front.reporter.Failed(ctx, lease, err)
	return err
}

// parts is the end of what was joined.
func (s *story) parts(stats relay.Stats, cut error) {
	if s.published != nil {
		s.published.part(false)
	}
	s.lease.Release()
	s.over(carried{stats.AtoB, stats.BtoA}, cutReason(cut))
}

// refused is the end of what was not joined.
func (s *story) refused(err error) { s.over(carried{}, reason(err)) }

// over is the end of the story. Why is empty if both sides have ended by themselves.
func (s *story) over(moved carried, why string) {
	name := unrouted
	if s.route != nil {
		name = s.route.app.name
	}
	if s.open != nil {
		s.route.app.leave()
		s.open.Dec()
	}
	s.front.metrics.connections.WithLabelValues(name, outcomeWord(why)).Inc()
	s.front.metrics.moved(name, "tcp", moved)
	s.front.access.write(func() line { return s.record.line(s.key(), s.from.String(), s.route, moved, why) })
	s.front.stories.End()
}
