package daemon

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// control carries out what operators ask for over the admin API.
type control struct {
	*daemon
	working context.Context // outlives each request; ends when the daemon does
}

var _ admin.Control = control{}

func (c control) app(name string) (*pool.App, error) {
	if app := c.pool.App(name); app != nil {
		return app, nil
	}
	return nil, fmt.Errorf("app %q: %w", name, admin.ErrNoApp)
}

// withContainers refuses to start or stop what is only an address.
func (c control) withContainers(name string) (*pool.App, error) {
	app, err := c.app(name)
	if err != nil {
		return nil, err
	}
	if at := app.Snapshot().Policy.Fixed; at != "" {
		return nil, fmt.Errorf("app %q is at %s and has no container: %w", app.Name, at, admin.ErrRefused)
	}
	return app, nil
}

// Wake wants one replica, and ends a back-off after failed starts.
func (c control) Wake(name string) error {
	app, err := c.withContainers(name)
	if err != nil {
		return err
	}
	app.SetFailure(nil)
	app.Want()
	return nil
}

// Sleep drains all of the app's replicas.
func (c control) Sleep(name string) error {
	app, err := c.withContainers(name)
	if err != nil {
		return err
	}
	app.Unwant()
	snap := app.Snapshot()
	for _, row := range snap.Rows {
		if row.State() == pool.Ready {
			app.Settle(row.ID, row.Version, func(r *pool.Row) bool {
				r.Drains(snap.Policy.SleepOf(*r), journal.CauseOperator)
				return true
			})
		}
	}
	return nil
}

// Restart flags the app's replicas for replacement.
func (c control) Restart(name string) error {
	app, err := c.withContainers(name)
	if err != nil {
		return err
	}
	for _, row := range app.Snapshot().Rows {
		app.Settle(row.ID, 0, func(r *pool.Row) bool {
			r.Replace = r.State() == pool.Ready || r.State() == pool.Restarting
			return r.Replace
		})
	}
	return nil
}

// Reload brings what outlives the request that asked for it, but not the daemon.
func (c control) Reload(context.Context) error { return c.reload(c.working) }

// Logs reads the newest replica's output, or what was kept of the last failed start.
func (c control) Logs(ctx context.Context, name string, o admin.LogOptions) (io.ReadCloser, error) {
	app, err := c.app(name)
	if err != nil {
		return nil, err
	}
	if o.Previous {
		return c.previous(name)
	}
	row, ok := newest(app.Snapshot(), o.Replica)
	if !ok {
		return nil, fmt.Errorf("app %q has no such container: %w", name, admin.ErrNoLogs)
	}
	host, err := c.fleet.Host(row.Host)
	if err != nil {
		return nil, err
	}
	return host.Engine.Logs(ctx, row.Container, runtime.LogOptions{Tail: o.Tail, Follow: o.Follow})
}

// previous is the output of the last container that ended, or failed to become ready.
func (c control) previous(name string) (io.ReadCloser, error) {
	output := c.scaler.Previous.Of(name)
	if output == "" {
		return nil, fmt.Errorf("no container of app %q has ended since Fairlead's start: %w", name, admin.ErrNoLogs)
	}
	return io.NopCloser(strings.NewReader(output)), nil
}

func newest(snap *pool.Snapshot, replica string) (found pool.Row, ok bool) {
	for _, row := range snap.Rows {
		if row.Container == "" || replica != "" && row.ID != replica {
			continue
		}
		if !ok || row.Since().After(found.Since()) {
			found, ok = row, true
		}
	}
	return found, ok
}

// ForgetHost is for rows that nobody can judge any more. A host that answers for all of its own would only lose traffic.
func (c control) ForgetHost(name string) error {
	if !c.inDoubt(name) {
		return fmt.Errorf("host %q answers for all of its replicas, nothing is to be forgotten: %w", name, admin.ErrRefused)
	}
	c.forget(name)
	c.hosts.rejoin(name)
	return nil
}

func (d *daemon) inDoubt(name string) bool {
	for _, s := range d.keeper.Hosts() {
		if s.Name == name && !s.Answers {
			return true
		}
	}
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Host == name && row.Doubt {
				return true
			}
		}
	}
	return false
}

// forget drops the rows of a host without touching its containers.
func (d *daemon) forget(name string) {
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Host == name {
				app.Remove(row.ID, 0)
			}
		}
	}
	d.keeper.Forget(name)
}

// Clean removes the containers that this instance made.
func (c control) Clean(ctx context.Context) (int, error) {
	return c.endContainers(ctx, ending{remove: true, spare: true, grace: time.Second})
}
