package l7

import (
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
)

// ended hands on that the connections to a replica have ended without a request on them: often the first that anybody
// knows of its death.
func (f *Front) ended(target h1.Target) {
	up, ok := target.Key.(*pool.Upstream)
	if !ok || !up.Alive() {
		return
	}
	if app := ownerOf(f.pool, up); app != nil {
		f.metrics.failures.WithLabelValues(app.Name, "idle").Inc()
		f.reporter.Ended(app, up)
	}
}

// ownerOf finds the app that an upstream is of, nil if it is nobody's any more.
func ownerOf(p *pool.Pool, up *pool.Upstream) *pool.App {
	for _, app := range p.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Upstream() == up {
				return app
			}
		}
	}
	return nil
}
