package liveness

import (
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// Ended is told by the data path that all connections to an upstream have ended without a request on them. That is how a
// death looks some milliseconds after it, long before an engine says so; it is also what an app may do for reasons of its
// own, and then it costs a look and a probe. Ended does not wait for them.
func (k *Keeper) Ended(app *pool.App, up *pool.Upstream) {
	for _, row := range app.Snapshot().Rows {
		if row.Upstream() != up {
			continue
		}
		k.Log.Debug("all connections to a replica ended", "app", app.Name, "replica", row.ID)
		suspect(app, row, "connections ended")
		k.acts.Go(func() { k.lookAfresh(app, row.ID) })
	}
}

// lookAfresh looks once, and again if that look was another's: it may have been asked for before the end.
func (k *Keeper) lookAfresh(app *pool.App, id string) {
	if !k.lookAt(k.life, app, id, journal.Transport, false) {
		k.lookAt(k.life, app, id, journal.Transport, false)
	}
	k.doubtful(app, id)
}
