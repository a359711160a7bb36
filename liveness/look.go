package liveness

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// lookBound is the time that one confirmation may take.
const lookBound = 2 * time.Second

// LookAt confirms one row, and returns when that is settled, or ctx ends. Looks at the same row that come meanwhile
// share it.
func (k *Keeper) LookAt(ctx context.Context, app *pool.App, id string, why journal.Trigger) {
	k.lookAt(ctx, app, id, why, false)
}

// lookAt returns whether the look was its own; a shared one may have been asked for earlier.
func (k *Keeper) lookAt(ctx context.Context, app *pool.App, id string, why journal.Trigger, accused bool) (own bool) {
	done, first := k.flights.join(id)
	if !first {
		select {
		case <-done:
		case <-ctx.Done():
		}
		return false
	}
	defer k.flights.land(id)
	if row, ok := app.Snapshot().Row(id); ok && row.Container != "" {
		k.confirm(app, row, why, accused)
	}
	return true
}

// confirm looks under the Keeper's own life: others may share the look, so the leaving of the visitor who caused it must
// not end it.
func (k *Keeper) confirm(app *pool.App, row pool.Row, why journal.Trigger, accused bool) {
	host, err := k.Fleet.Host(row.Host)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(k.life, lookBound)
	defer cancel()
	q := query(row, k.asked.Add(1))
	q.Alone = true
	outcome := host.Look(ctx, []runtime.Query{q})
	if k.life.Err() != nil {
		return // we stopped, not the host
	}
	observations := outcome.Report.Observations
	if outcome.Err != nil {
		observations = unknown([]runtime.Query{q}, outcome.Err)
	}
	for _, o := range observations {
		proven := k.apply(app, row.Host, outcome.Report.Identity, o, Seen{Accused: accused}, why)
		k.learn(row.Host, proven, outcome.Report.Identity)
	}
}
