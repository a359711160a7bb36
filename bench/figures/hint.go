package main

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/liveness"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// between two deaths, so that each event is one of its own.
const betweenDeaths = 5 * time.Millisecond

// hints measures how long after an engine's event a replica is out of the pick, on simulated engines: how late the engine
// itself is, `death to suspect` shows.
func hints(ctx context.Context, b *bench) error {
	keeper, err := newKeeper(ctx)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for _, name := range keeper.Fleet.Names() {
		go keeper.Follow(ctx, name)
	}
	for slices.ContainsFunc(keeper.Hosts(), func(h liveness.HostStatus) bool { return !h.Answers }) {
		time.Sleep(betweenDeaths) // every stream begins with a look
	}
	var taken []time.Duration
	for _, app := range keeper.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			late, err := outOfThePick(ctx, keeper, app, row)
			if err != nil {
				return err
			}
			taken = append(taken, late)
			time.Sleep(betweenDeaths)
		}
	}
	b.table.Add("an engine's event to a replica out of the pick",
		fmt.Sprintf("p99 %.2f ms (median %.2f, highest %.2f)", milliseconds(harness.Quantile(taken, 0.99)),
			milliseconds(harness.Median(taken)), milliseconds(harness.Quantile(taken, 1))),
		"p99 < 10 ms", fmt.Sprintf("%d deaths on %d simulated hosts", len(taken), passHosts))
	return nil
}

// outOfThePick ends a replica's container, which its engine tells at once, and waits for what comes of it.
func outOfThePick(ctx context.Context, keeper *liveness.Keeper, app *pool.App, row pool.Row) (time.Duration, error) {
	host, err := keeper.Fleet.Host(row.Host)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := host.Engine.(*simulated.Engine).World().Kill(row.Container); err != nil {
		return 0, err
	}
	for {
		now, there := app.Snapshot().Row(row.ID)
		if late := time.Since(began); !there || !now.Serves() {
			return late, ctx.Err()
		} else if late > 10*time.Second {
			return 0, errors.New("a death was not noticed")
		}
		goruntime.Gosched()
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
