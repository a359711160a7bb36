package simulation

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// hireTenants sends a visitor into each calm app. He stays for as long as Fairlead lives, and nothing that befalls
// others may end his connection or his session (P7).
func (g *generation) hireTenants() {
	for _, a := range g.stage.script.apps {
		if a.calm {
			g.visitors.Go(func() { g.dwell(g.pool.App(a.name)) })
		}
	}
}

func (g *generation) dwell(app *pool.App) {
	for g.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(g.ctx, patienceOfVisitors)
		a := app.Await(ctx, pool.Visitor{Open: true})
		cancel()
		if a.Outcome == pool.Served {
			g.stay(a.Lease)
			a.Lease.Release()
		}
		select {
		case <-time.After(time.Second):
		case <-g.ctx.Done():
		}
	}
}

func (g *generation) stay(lease pool.Lease) {
	select {
	case <-lease.Upstream.Ended():
	case <-lease.Replica.Gone():
	case <-g.ctx.Done():
		return
	}
	if g.forgetful.Load() {
		return
	}
	for _, w := range g.stage.worlds {
		c, there := w.Container(lease.Upstream.Container)
		if there && c.Runs() && c.Start == lease.Upstream.Start && !g.dead.Load() {
			g.stage.breaks("P7", "a connection of %s ended, which nobody touched", lease.App().Name)
		}
	}
}
