package liveness

import (
	"context"
	"slices"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

const (
	// attention is how often a row that something speaks against is looked at while somebody waits for it.
	attention = 250 * time.Millisecond
	// calm is the same while nobody does. Not every engine tells of networks: this is how soon an address that is back is
	// known.
	calm = 500 * time.Millisecond
	// knock is how often a silent host is asked whether it answers again. Its rows are not looked at one by one: what
	// answers nothing must not be asked a hundred times a second.
	knock = 2 * time.Second
	// eagerly it is asked while somebody waits for one of its rows.
	eagerly = 500 * time.Millisecond
)

// attend looks between the passes at what needs it: rows that are suspect, restarting, or adopted and not ready yet, and
// hosts that are silent.
func (k *Keeper) attend(ctx context.Context) {
	ticker := time.NewTicker(attention)
	defer ticker.Stop()
	looked := rounds{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			looked.begin()
			silent := k.knock(ctx, looked, now)
			for _, app := range k.Pool.Apps() {
				k.attendTo(ctx, app, silent, looked, now)
			}
			looked.end()
		}
	}
}

// knock looks over the hosts that did not answer last time, and returns their names.
func (k *Keeper) knock(ctx context.Context, looked rounds, now time.Time) map[string]bool {
	silent := map[string]bool{}
	for _, host := range k.Hosts() {
		if host.Answers || host.Error == "" {
			continue
		}
		silent[host.Name] = true
		flight := "host " + host.Name
		every := knock
		if k.awaited(host.Name, now) {
			every = eagerly
		}
		if !looked.due(flight, every, now) {
			continue
		}
		if _, first := k.flights.join(flight); first {
			k.acts.Go(func() {
				defer k.flights.land(flight)
				k.LookOver(ctx, host.Name, journal.Pass)
			})
		}
	}
	return silent
}

// awaited says whether somebody waits for an app that has a row on the host.
func (k *Keeper) awaited(host string, now time.Time) bool {
	for _, app := range k.Pool.Apps() {
		onHost := func(row pool.Row) bool { return row.Host == host }
		if app.Waiting(now) > 0 && slices.ContainsFunc(app.Snapshot().Rows, onHost) {
			return true
		}
	}
	return false
}

func (k *Keeper) attendTo(ctx context.Context, app *pool.App, silent map[string]bool, looked rounds, now time.Time) {
	every := calm
	if app.Waiting(now) > 0 {
		every = attention
	}
	if k.misses(app) && looked.due("seek "+app.Name, every, now) {
		k.seekAnywhere()
	}
	for _, row := range app.Snapshot().Rows {
		if !needsAttention(row) || !looked.due(row.ID, every, now) || k.flights.aloft(row.ID) {
			continue
		}
		k.acts.Go(func() { k.attendOne(ctx, app, row, silent[row.Host]) })
	}
}

// attendOne looks at the row, and if the engine says nothing of it, asks the app.
func (k *Keeper) attendOne(ctx context.Context, app *pool.App, row pool.Row, silent bool) {
	if !silent {
		k.LookAt(ctx, app, row.ID, journal.Pass)
	}
	k.doubtful(app, row.ID)
}

func needsAttention(row pool.Row) bool {
	switch row.State() {
	case pool.Ready:
		return row.Suspect() != ""
	case pool.Restarting:
		return true
	case pool.Starting:
		return row.Container != "" && !row.Acting && row.Probing == 0
	default:
		return false
	}
}

// rounds remembers when each thing was looked at last, and forgets what no round asks about any more.
type rounds map[string]*round

type round struct {
	last  time.Time
	asked bool
}

func (r rounds) begin() {
	for _, one := range r {
		one.asked = false
	}
}

func (r rounds) end() {
	for what, one := range r {
		if !one.asked {
			delete(r, what)
		}
	}
}

// due says whether it is time again, and takes the turn.
func (r rounds) due(what string, every time.Duration, now time.Time) bool {
	one := r[what]
	if one == nil {
		one = &round{}
		r[what] = one
	}
	one.asked = true
	if now.Sub(one.last) < every {
		return false
	}
	one.last = now
	return true
}
