package daemon

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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
		if _, err := d.endContainers(bounded, policy.Containers == "remove", false, 10*time.Second); err != nil {
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

// endContainers stops every container in the pool, and removes them if asked to. Their rows go with them. What
// others made is stopped at most, and spared if asked to.
func (d *daemon) endContainers(ctx context.Context, remove, spare bool, grace time.Duration) (int, error) {
	var ended atomic.Int64
	var ending sync.WaitGroup
	failures := make(chan error, 1024)
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Container == "" || row.Adopted && spare {
				continue
			}
			ending.Go(func() {
				if err := d.endContainer(ctx, app, row, remove, grace); err != nil {
					failures <- err
					return
				}
				ended.Add(1)
			})
		}
	}
	go func() { ending.Wait(); close(failures) }()
	var errs []error
	for err := range failures {
		errs = append(errs, err)
	}
	return int(ended.Load()), errors.Join(errs...)
}

func (d *daemon) endContainer(ctx context.Context, app *pool.App, row pool.Row, remove bool, grace time.Duration) error {
	host, err := d.fleet.Host(row.Host)
	if err != nil {
		return err
	}
	if err := host.Engine.Stop(ctx, row.Container, grace); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		return err
	}
	if !remove || row.Adopted {
		return nil
	}
	if err := host.Engine.Remove(ctx, row.Container, true); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		return err
	}
	app.Remove(row.ID, 0)
	return nil
}
