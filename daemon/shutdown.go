package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// shutdown answers who is held, drains who is connected, and leaves the containers as the configuration says.
func (d *daemon) shutdown(stopWork func()) {
	policy := d.config.Load().Shutdown
	d.leaving.Store(true)
	d.log.Info("shutting down", "grace", policy.Grace, "containers", policy.Containers)
	ctx, cancel := context.WithTimeout(context.Background(), policy.Grace)
	defer cancel()
	d.drain(ctx)
	stopWork()
	if policy.Containers != "keep" {
		bounded, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		how := ending{remove: policy.Containers == "remove", grace: 10 * time.Second}
		if _, err := d.endContainers(bounded, how); err != nil {
			d.log.Warn("some containers are left", "error", err)
		}
	}
	d.state.keep(d.rows(), d.log)
	d.hosts.close()
}

// drain lets all traffic end, HTTP and the rest side by side.
func (d *daemon) drain(ctx context.Context) {
	var fronts sync.WaitGroup
	fronts.Go(func() { _ = d.l4.Drain(ctx) })
	fronts.Go(func() { _ = d.front.Drain(ctx) })
	fronts.Wait()
}

// ending is how containers are ended.
type ending struct {
	remove bool          // not only stopped
	spare  bool          // what others made is not touched; else it is stopped, and never removed
	grace  time.Duration // between the stop signal and the kill
}

// endContainers ends every container in the pool, all at once, and says how many. The rows of those that are removed go with
// them.
func (d *daemon) endContainers(ctx context.Context, how ending) (ended int, err error) {
	var all sync.WaitGroup
	outcomes := make(chan error)
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Container == "" || row.Adopted && how.spare {
				continue
			}
			all.Go(func() { outcomes <- d.endContainer(ctx, app, row, how) })
		}
	}
	go func() { all.Wait(); close(outcomes) }()
	for failure := range outcomes {
		if failure == nil {
			ended++
		}
		err = errors.Join(err, failure)
	}
	return ended, err
}

func (d *daemon) endContainer(ctx context.Context, app *pool.App, row pool.Row, how ending) error {
	host, err := d.fleet.Host(row.Host)
	if err != nil {
		return err
	}
	if err := host.Stop(ctx, row.Container, row.Unit, how.grace); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		return err
	}
	if !how.remove || row.Adopted {
		return nil
	}
	if err := host.Engine.Remove(ctx, row.Container, true); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		return err
	}
	app.Remove(row.ID, 0)
	return nil
}
