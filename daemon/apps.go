package daemon

import (
	"context"
	"sync"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/scaler"
)

// apps runs one scaler loop for each app.
type apps struct {
	pool   *pool.Pool
	scaler *scaler.Scaler
	loops  sync.WaitGroup
	trusts trusts // of the configuration in force; for one reload at a time

	mu sync.Mutex // puts bringing an app back and dropping it one after the other
}

// bring brings the configured apps in: new ones begin, changed ones get their policy, and those that were on their way out
// stay. No connection is touched (P7).
func (a *apps) bring(ctx context.Context, config *conf.Config, trusts trusts) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trusts = trusts
	for _, name := range sortedKeys(config.Apps) {
		policy := policyOf(config.Apps[name])
		policy.TLS = trusts[name].config
		if app := a.pool.App(name); app != nil {
			app.SetPolicy(policy)
			continue
		}
		app := pool.NewApp(name, policy)
		a.pool.Add(app)
		a.loops.Go(func() { a.run(ctx, app) })
	}
}

// retire lets nobody into the apps that are not configured any more; they drain.
func (a *apps) retire(config *conf.Config) {
	for _, app := range a.pool.Apps() {
		if config.Apps[app.Name] == nil {
			app.Close()
		}
	}
}

func (a *apps) run(ctx context.Context, app *pool.App) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go a.dropEmpty(ctx, app, cancel)
	go (&fixed{app: app}).run(ctx)
	a.scaler.Run(ctx, app)
}

// dropEmpty forgets a closed app when its last row is gone.
func (a *apps) dropEmpty(ctx context.Context, app *pool.App, stop context.CancelFunc) {
	for {
		changed := app.Changed()
		if a.dropped(app) {
			stop()
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (a *apps) dropped(app *pool.App) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	snap := app.Snapshot()
	if !snap.Closed || len(snap.Rows) > 0 {
		return false
	}
	a.pool.Drop(app.Name)
	return true
}
