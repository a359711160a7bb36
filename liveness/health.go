package liveness

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/pool"
)

const (
	// pulse is how often it is asked which checks are due.
	pulse = 250 * time.Millisecond
	// checksAtOnce bounds the checks in flight: an app that hangs holds each of its own for seconds.
	checksAtOnce = 64
)

// watchHealth checks replicas that serve for as long as they do, each at its own times: an app may hang and still accept,
// and then neither an engine nor a connection says a word.
func (k *Keeper) watchHealth(ctx context.Context) {
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			k.checkups.begin()
			for _, app := range k.Pool.Apps() {
				k.checkApp(ctx, app, now)
			}
			k.checkups.end(now)
		}
	}
}

func (k *Keeper) checkApp(ctx context.Context, app *pool.App, now time.Time) {
	snap := app.Snapshot()
	if snap.Policy.Health.Path == "" {
		return
	}
	for _, row := range snap.Rows {
		switch {
		case row.State() == pool.Draining && row.Suspect() == pool.SuspectHealth && snap.Policy.Health.Restart:
			giveUp(app, row)
		case checkable(row) && k.checkups.due(row, snap.Policy.Health, now):
			k.acts.Go(func() { k.checkUp(ctx, app, row, snap.Policy) })
		}
	}
}

// checkable rows are those that nothing else speaks against: of the others, something else finds out.
func checkable(row pool.Row) bool {
	return row.State() == pool.Ready && (row.Suspect() == "" || row.Suspect() == pool.SuspectHealth)
}

// checkUp makes one check and draws its conclusion.
func (k *Keeper) checkUp(ctx context.Context, app *pool.App, row pool.Row, policy *pool.Policy) {
	err := k.Checker.Healthy(ctx, row.Upstream(), policy)
	failures := k.checkups.note(row, err)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		recovered(app, row)
	case failures >= policy.Health.Retries:
		k.fails(app, row, policy.Health, err)
	}
}

// fails takes the replica out of the pick, and has it replaced if the policy says so. Replacements of one app are spaced:
// what makes each of them fail may be outside of them.
func (k *Keeper) fails(app *pool.App, row pool.Row, health pool.Health, why error) {
	replace := health.Restart && !row.Replace && k.checkups.mayReplace(app, health, time.Now())
	_, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Ready || r.Upstream() != row.Upstream() {
			return false
		}
		changed := replace && !r.Replace || r.Suspect() == ""
		if r.Suspect() == "" {
			r.Suspected(pool.SuspectHealth)
		}
		r.Replace = r.Replace || replace
		return changed
	})
	if ok {
		k.Log.Warn("a replica fails its health check", "app", app.Name, "replica", row.ID, "replaced", replace, "error", why)
	}
}

// recovered takes back what the checks before said, and nothing else.
func recovered(app *pool.App, row pool.Row) {
	if row.Suspect() != pool.SuspectHealth {
		return
	}
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Ready || r.Suspect() != pool.SuspectHealth || r.Upstream() != row.Upstream() {
			return false
		}
		r.Cleared()
		return true
	})
}

// giveUp lets a replaced replica go whose requests would hang for the whole of the time that visitors have to leave.
func giveUp(app *pool.App, row pool.Row) {
	app.Settle(row.ID, row.Version, func(r *pool.Row) bool {
		if r.Upstream() == nil {
			return false
		}
		r.Died()
		return true
	})
}
