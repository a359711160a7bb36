package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// leaveOff ends all trouble: faults, silence, other engines, and pauses that others made.
func (s *stage) leaveOff() {
	s.note("> all trouble ends")
	for i, e := range s.engines {
		s.ownEngine(i)
		e.Heal()
		s.worlds[i].Up()
	}
	if s.fairlead == nil {
		s.begin(false)
	}
	s.pass(0)
	for i := range s.worlds {
		for _, c := range s.worlds[i].All() {
			row, known := s.rowOf(c.ID)
			byUs := known && (row.State() == pool.Asleep || row.State() == pool.Draining)
			if c.Frozen() && !s.truth.isStranger(c.ID) && !byUs {
				_ = s.worlds[i].Unpause(c.ID)
			}
		}
	}
}

func (s *stage) rowOf(container string) (found pool.Row, known bool) {
	for _, app := range s.fairlead.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Container == container {
				return row, true
			}
		}
	}
	return pool.Row{}, false
}

// settle waits until everything has come to rest, and sends a last visitor everywhere.
func (s *stage) settle() {
	var unrest string
	forgotten := false
	for began := time.Now(); time.Since(began) < patience; {
		if unrest = s.unrest(); unrest == "" {
			break
		}
		if s.pass(time.Second); s.broken() {
			return
		}
		if !forgotten && time.Since(began) > 45*time.Second {
			forgotten = true
			s.forgetRenamed()
		}
	}
	if unrest != "" {
		s.breaks("rest", "%s", unrest)
		return
	}
	for _, app := range s.fairlead.pool.Apps() {
		s.lastVisit(app)
	}
	s.pass(0)
}

// forgetRenamed is what an operator does about a host whose engine had another identity.
func (s *stage) forgetRenamed() {
	clear(s.truth.ready) // what is forgotten is found anew
	for i, renamed := range s.renamed {
		if renamed {
			s.note("> forget h%d", i)
			s.fairlead.forget(s.fairlead.hosts[i].Name)
		}
	}
}

func (s *stage) lastVisit(app *pool.App) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		a := app.Await(ctx, pool.Visitor{})
		switch {
		case a.Outcome == pool.Served:
			a.Lease.Release()
			return
		case ctx.Err() != nil:
			s.breaks("rest", "the last visitor of %s is not served: %s %+v", app.Name, a.Outcome, a.Failure)
			return
		}
		time.Sleep(time.Second)
	}
}

// unrest says what is not as it must be when nobody disturbs; empty if nothing.
func (s *stage) unrest() string {
	for _, app := range s.fairlead.pool.Apps() {
		snap := app.Snapshot()
		if len(snap.Rows) > snap.Policy.Max || snap.Count(pool.Ready) < snap.Policy.Min {
			return fmt.Sprintf("%s has %d rows, %d ready, min %d, max %d", app.Name, len(snap.Rows), snap.Count(pool.Ready),
				snap.Policy.Min, snap.Policy.Max)
		}
		for _, row := range snap.Rows {
			if why := s.restless(row); why != "" {
				return fmt.Sprintf("%s %s: %s", app.Name, row.ID, why)
			}
		}
	}
	for i, w := range s.worlds {
		for _, c := range w.All() {
			data := c.AnonymousVolumes > 0 && c.Stands() // nobody throws it away
			if _, known := s.rowOf(c.ID); !known && runtime.Ours(c, instance) && !data {
				return fmt.Sprintf("container %.8s on h%d, %s, has no row", c.ID, i, c.Status)
			}
		}
	}
	return ""
}

func (s *stage) restless(row pool.Row) string {
	c, there := s.fairlead.truly(row)
	switch {
	case row.State() != pool.Ready && row.State() != pool.Asleep:
		return row.State().String()
	case row.Suspect() != "" || row.Doubt:
		return fmt.Sprintf("suspect %q, doubt %v", row.Suspect(), row.Doubt)
	case row.Probing != 0 || row.Acting || row.Surge || row.Replace && row.State() == pool.Ready:
		return "something is in flight"
	case !there || c.Runs() != (row.State() == pool.Ready):
		return fmt.Sprintf("%s, its container is %q", row.State(), c.Status)
	default:
		return ""
	}
}
