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
}

// apply brings the pool to the configuration: new apps begin, changed ones get their policy, and those that are gone let
// nobody in and drain. No connection of an app that stays is touched (P7).
func (a *apps) apply(ctx context.Context, config *conf.Config) {
	for _, name := range sortedKeys(config.Apps) {
		policy := policyOf(config.Apps[name])
		if app := a.pool.App(name); app != nil {
			app.SetPolicy(policy)
			continue
		}
		app := pool.NewApp(name, policy)
		a.pool.Add(app)
		a.loops.Go(func() { a.run(ctx, app) })
	}
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
		if snap := app.Snapshot(); snap.Closed && len(snap.Rows) == 0 {
			a.pool.Drop(app.Name)
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
