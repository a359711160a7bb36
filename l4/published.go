package l4

import (
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// published watches an app's connection behind a published port. The port's forwarder accepts connections for an app
// that has died, and takes what a client says first, which then must not be said to anybody else. So its end is watched:
// rootless Podman tells of a death by a quarter of a second later, and much later on a busy machine.
type published struct {
	began  time.Time
	spoke  bool // before it was joined
	once   sync.Once
	silent func()           // called once, if the app ends the connection soon and without a byte
	over   func(byApp bool) // called once, at its end
}

// watches counts the connection among the upstream's until it parts.
func (s *story) watches(lease pool.Lease, spoke bool) *published {
	s.front.starts.joined(lease.Upstream)
	return &published{
		began: time.Now(), spoke: spoke,
		silent: func() { s.suspicious(lease) },
		over:   func(byApp bool) { s.parted(lease, byApp) },
	}
}

// ended is the end by the app. The client need not wait for what is told. An end that he had asked for tells nothing of
// the app.
func (p *published) ended(bytes int64, asked bool) {
	if !p.spoke && bytes == 0 && time.Since(p.began) < provenAfter {
		p.part(false)
		p.silent()
		return
	}
	p.part(!asked)
}

func (p *published) part(byApp bool) { p.once.Do(func() { p.over(byApp) }) }

// parted tells of a replica all of whose connections are gone, the last one by the app's own doing.
func (s *story) parted(lease pool.Lease, byApp bool) {
	if s.front.starts.parted(lease.Upstream, byApp) && lease.Upstream.Alive() {
		s.front.metrics.failures.WithLabelValues(s.route.app.name, "idle").Inc()
		s.front.reporter.Ended(lease.App(), lease.Upstream)
	}
}
