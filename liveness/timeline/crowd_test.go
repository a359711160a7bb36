package timeline

import (
	"context"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// browse is what a browser does that has the waiting page: it asks, is held for a second, and asks again soon after.
func (h *house) browse(app *pool.App, from time.Duration) {
	h.visitors.Go(func() {
		var ticket pool.Ticket
		for time.Sleep(from); h.ctx.Err() == nil; time.Sleep(400 * time.Millisecond) {
			page, cancel := context.WithTimeout(h.ctx, time.Second)
			a := app.Await(page, pool.Visitor{Ticket: ticket})
			cancel()
			if a.Outcome == pool.Served {
				a.Lease.Release()
				return
			}
			ticket = a.Ticket
		}
	})
}

// However many browsers have the waiting page, engines are asked and apps are probed as often as for one.
func TestCrowdAsksAsOneDoes(t *testing.T) {
	for name, trouble := range map[string]func(t *testing.T, h *house, app *pool.App){
		"it boots": func(*testing.T, *house, *pool.App) {},
		"it crashes": func(_ *testing.T, h *house, _ *pool.App) {
			h.engine().Fault(simulated.Fault{On: simulated.Start, Kind: simulated.Crash, Delay: 50 * time.Millisecond})
		},
		"the image is gone": func(_ *testing.T, h *house, app *pool.App) { h.world().DeleteImage(image(app.Name)) },
		"it is being restarted": func(_ *testing.T, h *house, app *pool.App) {
			row := h.warm(app)
			h.must(h.world().Restart(row.Container, time.Second))
			h.after(100 * time.Millisecond)
		},
		"it is paused": func(_ *testing.T, h *house, app *pool.App) {
			h.must(h.world().Pause(h.warm(app).Container))
			h.after(11 * time.Second)
		},
		"the host is silent": func(_ *testing.T, h *house, _ *pool.App) {
			h.engine().Fault(simulated.Fault{On: simulated.Any, Kind: simulated.Hang})
			h.after(11 * time.Second)
		},
		"nobody has made it": func(_ *testing.T, _ *house, app *pool.App) {
			p := *app.Snapshot().Policy
			p.Adopt = pool.Adoption{Name: "theirs"}
			app.SetPolicy(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked := func(visitors int) (calls, dials int) {
				live(t, 1, func(t *testing.T, h *house) {
					h.follow()
					app := h.add("hello", simulated.Image{Boot: 15 * time.Second}, func(p *pool.Policy) {
						p.Ready.Timeout = 2 * time.Minute
					})
					trouble(t, h, app)
					calls, dials = h.count(), int(h.dials.Load())
					for i := range visitors {
						h.browse(app, time.Duration(i)*7*time.Millisecond)
					}
					h.after(12 * time.Second)
					calls, dials = h.count()-calls, int(h.dials.Load())-dials
				})
				return calls, dials
			}
			calls, dials := asked(1)
			t.Logf("one visitor: %d calls, %d dials", calls, dials)
			manyCalls, manyDials := asked(200)
			t.Logf("200 visitors: %d calls, %d dials", manyCalls, manyDials)
			if manyCalls > calls+calls/4+2 || manyDials > dials+dials/4+2 {
				t.Errorf("200 visitors cause %d calls and %d dials, one causes %d and %d", manyCalls, manyDials, calls, dials)
			}
		})
	}
}
