package liveness

import (
	"context"
	"errors"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// orphanGrace is given to a container whose app the configuration no longer has.
const orphanGrace = 10 * time.Second

// discovered deals with a container of ours that has no row: left by an earlier Fairlead, or started by somebody else.
func (k *Keeper) discovered(host string, c runtime.Container, identity string) {
	app := k.Pool.App(c.Labels[runtime.LabelApp])
	if app == nil {
		k.discard(host, c, true)
		return
	}
	facts := func(r *pool.Row) {
		r.Host, r.Identity, r.Container = host, identity, c.ID
		r.Spec, r.Volumes = c.Labels[runtime.LabelSpec], c.AnonymousVolumes > 0
		r.Main = runtime.MainPort(c)
	}
	switch runtime.VerdictOf(c.Status) {
	case runtime.Running:
		k.adopt(app, host, c, facts)
	case runtime.Paused:
		k.adoptAsleep(app, host, c, facts)
	case runtime.Stopped:
		k.leftover(app, host, c, facts)
	}
}

// adopt reserves a row like any other start and lets the container into routing after the readiness check; above max it
// is drained, which stops and removes it.
func (k *Keeper) adopt(app *pool.App, host string, c runtime.Container, facts func(*pool.Row)) {
	id := c.Labels[runtime.LabelReplica]
	row, err := app.Reserve(id, 0, func(r *pool.Row) {
		facts(r)
		r.Probing = k.tokens.Add(1)
	})
	switch {
	case err == nil:
		k.acts.Go(func() { k.readopt(k.life, app, row, journal.Pass) })
	case errors.Is(err, pool.ErrAtMax):
		k.surplus(app, id, facts)
	case errors.Is(err, pool.ErrClosed):
		k.discard(host, c, true)
	}
}

func (k *Keeper) adoptAsleep(app *pool.App, host string, c runtime.Container, facts func(*pool.Row)) {
	id := c.Labels[runtime.LabelReplica]
	_, err := app.Reserve(id, 0, func(r *pool.Row) {
		facts(r)
		r.Sleeps()
	})
	switch policy := app.Snapshot().Policy; {
	case errors.Is(err, pool.ErrClosed):
		k.discard(host, c, true)
	case errors.Is(err, pool.ErrAtMax) && (c.AnonymousVolumes == 0 || policy.Sleep == pool.SleepRemove && !policy.KeepData):
		k.surplus(app, id, facts)
	}
}

// surplus drains a container above max, which stops and removes it.
func (k *Keeper) surplus(app *pool.App, id string, facts func(*pool.Row)) {
	app.Insist(id, func(r *pool.Row) {
		facts(r)
		r.Drains(pool.SleepRemove, journal.CauseSurplus)
	})
}

// leftover is a stopped container: one that sleeps, or the rest of a start that was cut off.
func (k *Keeper) leftover(app *pool.App, host string, c runtime.Container, facts func(*pool.Row)) {
	row := pool.Row{Volumes: c.AnonymousVolumes > 0}
	if c.Start != "" && app.Snapshot().Policy.SleepOf(row) != pool.SleepRemove {
		k.adoptAsleep(app, host, c, facts)
		return
	}
	k.discard(host, c, false)
}

// discard stops and removes a container that has no place any more. Without force, one that runs by now stays.
func (k *Keeper) discard(name string, c runtime.Container, force bool) {
	host, err := k.Fleet.Host(name)
	if err != nil {
		return
	}
	_, first := k.flights.join("discard " + c.ID)
	if !first {
		return
	}
	k.acts.Go(func() {
		defer k.flights.land("discard " + c.ID)
		k.remove(k.life, host, c, force)
	})
}

func (k *Keeper) remove(ctx context.Context, host *runtime.Host, c runtime.Container, force bool) {
	ctx, cancel := context.WithTimeout(ctx, orphanGrace+removeBound)
	defer cancel()
	if force && c.Runs() {
		if err := host.Engine.Stop(ctx, c.ID, orphanGrace); err != nil {
			k.Log.Warn("stopping a container without an app failed", "container", c.Name, "host", host.Name, "error", err)
			return
		}
	}
	if err := host.Engine.Remove(ctx, c.ID, force); err != nil && !errors.Is(err, runtime.ErrNotFound) {
		k.Log.Warn("removing a leftover container failed", "container", c.Name, "host", host.Name, "error", err)
		return
	}
	k.Journal.Record(journal.Event{Word: journal.SurplusRemoved, App: c.Labels[runtime.LabelApp],
		Replica: c.Labels[runtime.LabelReplica], Container: c.ID, Host: host.Name, Trigger: journal.Pass, Cause: "leftover"})
}
