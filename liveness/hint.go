package liveness

import (
	"context"
	"sync"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

const (
	// burst is how long repetitions of an event on one container are gathered; the first one acts at once.
	burst = 20 * time.Millisecond
	// listing is the shortest time between two listings that strangers' events cause.
	listing = time.Second
)

// hint is what an event is taken for. A sign of death or a pause takes the replica out of the pick at once, since
// engines know of a death later than its connections do; everything else, and what became of it, is for the look.
// What an engine's own check says is of use before readiness alone, which asks for it; Podman tells it at every check.
func (k *Keeper) hint(ctx context.Context, host string, e runtime.Event) {
	if e.Action == runtime.Health {
		return
	}
	app, row := k.byContainer(host, e.Container)
	if app == nil {
		if e.Action == runtime.Started || e.Action == runtime.Unpaused {
			k.listSoon(ctx, host)
		}
		return
	}
	if e.Action == runtime.Died || e.Action == runtime.PausedIt {
		suspect(app, row, string(e.Action))
	}
	k.lookSoon(ctx, app, row.ID)
}

func (k *Keeper) byContainer(host, id string) (*pool.App, pool.Row) {
	for _, app := range k.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Container == id && row.Host == host {
				return app, row
			}
		}
	}
	return nil, pool.Row{}
}

// suspect takes a ready row out of the pick, if it still stands for the same start.
func suspect(app *pool.App, row pool.Row, why string) {
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Ready || r.Suspect() != "" || r.Upstream() != row.Upstream() {
			return false
		}
		r.Suspected(why)
		return true
	})
}

// lookSoon looks at one row now. What comes meanwhile, and within a burst after it, causes one more look.
func (k *Keeper) lookSoon(ctx context.Context, app *pool.App, id string) {
	if k.bursts.note(id) {
		k.acts.Go(func() { k.lookWhileNoted(ctx, app, id) })
	}
}

func (k *Keeper) lookWhileNoted(ctx context.Context, app *pool.App, id string) {
	for {
		own := k.lookAt(ctx, app, id, journal.OnEvent, false)
		select {
		case <-time.After(burst):
		case <-ctx.Done():
		}
		if !own && ctx.Err() == nil {
			continue // it was another's look, asked for before the event
		}
		if !k.bursts.again(id) {
			return
		}
	}
}

// listSoon looks over a host because of a container without a row, at most once a second.
func (k *Keeper) listSoon(ctx context.Context, host string) {
	if k.bursts.note("host " + host) {
		k.acts.Go(func() { k.listWhileNoted(ctx, host) })
	}
}

func (k *Keeper) listWhileNoted(ctx context.Context, host string) {
	for {
		k.LookOver(ctx, host, journal.OnEvent)
		select {
		case <-time.After(listing):
		case <-ctx.Done():
		}
		if !k.bursts.again("host " + host) {
			return
		}
	}
}

// bursts remembers for whom a look is under way, and whether another is due after it.
type bursts struct {
	mu    sync.Mutex      // guards the field below
	noted map[string]bool // true: something came meanwhile
}

// note returns true if the caller has to look; else whoever looks now will look once more.
func (b *bursts) note(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, busy := b.noted[key]; busy {
		b.noted[key] = true
		return false
	}
	if b.noted == nil {
		b.noted = map[string]bool{}
	}
	b.noted[key] = false
	return true
}

// again returns true if another look is due; else the burst is over.
func (b *bursts) again(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.noted[key] {
		b.noted[key] = false
		return true
	}
	delete(b.noted, key)
	return false
}
