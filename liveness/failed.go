package liveness

import (
	"context"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// suspectTransport is what a failed connection says against a replica.
const suspectTransport = "transport failure"

// Failed is told by the data path that a connection to a leased replica failed. The replica is suspect at once, so that
// nobody else is sent there, and looked at; Failed returns when the look has settled. However many requests fail in one
// burst, they share a look, and those that come just after it one more.
func (k *Keeper) Failed(ctx context.Context, lease pool.Lease, cause error) {
	app, id := lease.App(), lease.Replica.ID
	k.Log.Debug("a connection to a replica failed", "app", app.Name, "replica", id, "error", cause)
	row, ok := app.Snapshot().Row(id)
	if !ok || row.Upstream() != lease.Upstream {
		return // what failed is over already
	}
	suspect(app, row, suspectTransport)
	k.accuse(ctx, app, id)
	k.doubtful(app, id)
}

// doubtful begins a probe for a suspect row that the look could not judge: with the engine silent, the app's own answer
// is all there is (P8).
func (k *Keeper) doubtful(app *pool.App, id string) {
	row, ok := app.Settle(id, 0, func(r *pool.Row) bool {
		if !r.Doubt || r.State() != pool.Ready || !refutable(r.Suspect()) || r.Probing != 0 {
			return false
		}
		k.claim(r, Probe)
		return true
	})
	if ok {
		k.act(app, row, Probe, journal.Transport)
	}
}

// refutable says whether an answer of the app's own takes back what speaks against a replica. A death or a pause that the
// engine told of is for the engine to take back: somebody else may answer at the address (P5), and the kernel accepts
// connections for a frozen process, too; only a check of its health takes back what another one said.
func refutable(why string) bool {
	switch why {
	case "", pool.SuspectHealth, pool.SuspectPaused, string(runtime.PausedIt), string(runtime.Died):
		return false
	default:
		return true
	}
}
