package timeline

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Whatever hands and engines do in whatever order: when they leave off, every container of ours is a replica, every
// replica has its container, nothing is left in flight, no more run than max allows, and a visitor is served. And at no
// time was more asked for than the slots allow (P1, P2, P3).
func TestChaos(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			live(t, 2, func(t *testing.T, h *house) { newChaos(h, seed).run() })
		})
	}
}

type chaos struct {
	*house
	rand *rand.Rand
	apps []*pool.App
}

func newChaos(h *house, seed uint64) *chaos {
	c := &chaos{house: h, rand: rand.New(rand.NewPCG(seed, 0))}
	img := simulated.Image{Boot: 500 * time.Millisecond, StopTime: 300 * time.Millisecond, CreateTime: 200 * time.Millisecond,
		StartTime: 100 * time.Millisecond}
	if seed%2 == 0 {
		c.follow()
	}
	c.apps = append(c.apps,
		h.add("plain", img, func(p *pool.Policy) { p.Idle = 20 * time.Second }),
		h.add("kept", img, func(p *pool.Policy) { p.Min, p.Max, p.Seats = 1, 3, 2 }),
		h.add("dozing", img, func(p *pool.Policy) { p.Max, p.Idle, p.Sleep, p.Sticky = 2, 15*time.Second, pool.SleepStop, true }),
		h.add("frozen", img, func(p *pool.Policy) { p.Idle, p.Sleep, p.Order = 10*time.Second, pool.SleepPause, pool.StopFirst }))
	return c
}

func (c *chaos) run() {
	for range 120 {
		c.turn()
		c.after(time.Duration(c.rand.IntN(2500)) * time.Millisecond)
		c.check()
	}
	c.leaveOff()
	c.after(4 * time.Minute)
	c.verify()
}

func (c *chaos) turn() {
	engine := c.engines[c.rand.IntN(len(c.engines))]
	app := c.apps[c.rand.IntN(len(c.apps))]
	switch n := c.rand.IntN(20); {
	case n < 8:
		c.lay(engine.World())
	case n < 12:
		c.waits(app)
	case n < 15:
		c.trouble(engine)
	case n < 17:
		engine.Heal()
	case n == 17:
		engine.World().RestartDaemon(time.Duration(c.rand.IntN(20))*time.Second, c.rand.IntN(2) == 0)
	case n == 18:
		flag(app)
	default:
		engine.CutEvents()
	}
}

// lay hands on one container.
func (c *chaos) lay(world *simulated.World) {
	all := world.All()
	if len(all) == 0 {
		return
	}
	id := all[c.rand.IntN(len(all))].ID
	hands := []func(string) error{world.Stop, world.Start, world.Kill, world.RemoveForce, world.Remove, world.Pause, world.Unpause,
		func(id string) error { return world.Restart(id, time.Duration(c.rand.IntN(8000))*time.Millisecond) }}
	_ = hands[c.rand.IntN(len(hands))](id) // what its condition does not allow is refused
}

func (c *chaos) trouble(engine *simulated.Engine) {
	kinds := []simulated.Trouble{simulated.Status500, simulated.Refused, simulated.Hang, simulated.Slow, simulated.Garbage,
		simulated.LostReply, simulated.LateReply, simulated.Omit, simulated.LateDeath, simulated.LostEvent, simulated.Swapped}
	ops := []simulated.Op{simulated.Any, simulated.Look, simulated.List, simulated.Inspect, simulated.Create, simulated.Start,
		simulated.Stop, simulated.Remove}
	engine.Fault(simulated.Fault{Kind: kinds[c.rand.IntN(len(kinds))], On: ops[c.rand.IntN(len(ops))],
		Times: 1 + c.rand.IntN(6), Delay: time.Duration(c.rand.IntN(4000)) * time.Millisecond})
}

// check holds at every moment.
func (c *chaos) check() {
	c.t.Helper()
	for _, app := range c.apps {
		snap := app.Snapshot()
		if len(snap.Rows) > snap.Policy.Max+1 {
			c.t.Fatalf("%s has %d rows, max %d\n%s", app.Name, len(snap.Rows), snap.Policy.Max, c.story())
		}
	}
}

func (c *chaos) leaveOff() {
	for _, e := range c.engines {
		e.Heal()
		e.World().Up()
		for _, one := range e.World().All() {
			if row, known := c.rowOf(one.ID); !known || row.State() != pool.Asleep {
				_ = e.World().Unpause(one.ID)
			}
		}
	}
}

func (c *chaos) rowOf(container string) (found pool.Row, known bool) {
	for _, app := range c.apps {
		for _, row := range app.Snapshot().Rows {
			if row.Container == container {
				return row, true
			}
		}
	}
	return pool.Row{}, false
}

func (c *chaos) verify() {
	c.t.Helper()
	for _, app := range c.apps {
		c.verifyApp(app)
		c.warm(app)
	}
	for _, e := range c.engines {
		for _, one := range e.World().All() {
			if _, known := c.rowOf(one.ID); !known {
				c.t.Errorf("container %.8s (%s) has no row\n%s", one.ID, one.Status, c.story())
			}
		}
	}
}

func (c *chaos) verifyApp(app *pool.App) {
	c.t.Helper()
	snap := app.Snapshot()
	if len(snap.Rows) > snap.Policy.Max || snap.Count(pool.Ready) < snap.Policy.Min {
		c.t.Errorf("%s has %d rows, %d ready\n%s", app.Name, len(snap.Rows), snap.Count(pool.Ready), c.story())
	}
	for _, row := range snap.Rows {
		if row.State() != pool.Ready && row.State() != pool.Asleep || row.Suspect() != "" || row.Doubt || row.Probing != 0 ||
			row.Acting || row.Surge || row.Replace && row.State() == pool.Ready {
			c.t.Errorf("%s did not come to rest: %+v\n%s", app.Name, row, c.story())
		}
		if !c.stands(row) {
			c.t.Errorf("the container of %s %s is not as the row says\n%s", app.Name, row.State(), c.story())
		}
	}
}

func (c *chaos) stands(row pool.Row) bool {
	for _, w := range c.network {
		if one, there := w.Container(row.Container); there {
			return one.Runs() == (row.State() == pool.Ready)
		}
	}
	return false
}
