package liveness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

const (
	// absence is how long the container that an app adopts may be away before visitors are told: compose and Quadlet make
	// a container anew under the same name in about a second.
	absence = 5 * time.Second
	// ReasonAbsent is the failure of an app whose container nobody has made.
	ReasonAbsent = "no container"
)

// misses says whether somebody waits for an app whose containers are others', and which has none.
func (k *Keeper) misses(app *pool.App) bool {
	snap := app.Snapshot()
	return snap.Policy.Adopts() && !snap.Closed && len(snap.Rows) == 0 && app.Waiting(time.Now()) > 0
}

// seekAnywhere seeks on every host.
func (k *Keeper) seekAnywhere() {
	for _, host := range k.Hosts() {
		if host.Answers {
			k.seek(host.Name, host.Identity)
		}
	}
}

// seek looks on a host for what apps adopt, in a task of its own: what the host takes for it delays no other.
func (k *Keeper) seek(name, identity string) {
	host, err := k.Fleet.Host(name)
	if err != nil || !slices.ContainsFunc(k.Pool.Apps(), func(app *pool.App) bool { return seeksOn(app, name) }) {
		return
	}
	flight := "seek " + name
	if _, first := k.flights.join(flight); !first {
		return
	}
	k.acts.Go(func() {
		defer k.flights.land(flight)
		for _, app := range k.Pool.Apps() {
			if seeksOn(app, name) {
				k.seekFor(app, host, identity)
			}
		}
	})
}

// seeksOn says whether the app may find another container on the host.
func seeksOn(app *pool.App, host string) bool {
	snap := app.Snapshot()
	allowed := snap.Policy.Hosts
	return snap.Policy.Adopts() && !snap.Closed && len(snap.Rows) < snap.Policy.Max &&
		(len(allowed) == 0 || slices.Contains(allowed, host))
}

func (k *Keeper) seekFor(app *pool.App, host *runtime.Host, identity string) {
	ctx, cancel := context.WithTimeout(k.life, lookBound)
	defer cancel()
	found, err := candidates(ctx, host.Engine, app.Snapshot().Policy.Adopt)
	if err != nil {
		k.Log.Warn("containers to adopt could not be looked for", "app", app.Name, "host", host.Name, "error", err)
		return
	}
	for _, c := range found {
		if c.ID == k.Self {
			continue // stopped for want of visitors, it would not start again
		}
		k.take(app, host.Name, identity, c)
	}
	if app.Snapshot().Policy.Adopt.Unit == "" { // else it is for the scaler to have it made
		k.absentees.note(app, time.Now())
	}
}

// candidates are the containers that an app names, in the order of their names. What a Fairlead made is its own.
func candidates(ctx context.Context, engine runtime.Engine, adopt pool.Adoption) ([]runtime.Container, error) {
	found, err := named(ctx, engine, adopt)
	found = slices.DeleteFunc(found, func(c runtime.Container) bool {
		return runtime.Ours(c, c.Labels[runtime.LabelInstance])
	})
	slices.SortFunc(found, func(a, b runtime.Container) int { return cmp.Compare(a.Name, b.Name) })
	return found, err
}

func named(ctx context.Context, engine runtime.Engine, adopt pool.Adoption) ([]runtime.Container, error) {
	switch {
	case adopt.Label != "":
		return engine.Labelled(ctx, adopt.Label)
	case adopt.Unit != "":
		return engine.Labelled(ctx, runtime.LabelUnit+"="+adopt.Unit)
	}
	c, err := engine.Inspect(ctx, adopt.Name)
	switch {
	case errors.Is(err, runtime.ErrNotFound):
		return nil, nil
	case err == nil && c.Name != adopt.Name: // an id that reads like a name
		return nil, nil
	}
	return []runtime.Container{c}, err
}

// take reserves a row for a container that has none: one that runs is let into routing after the readiness check, one
// that stands sleeps.
func (k *Keeper) take(app *pool.App, host, identity string, c runtime.Container) {
	if other, _ := k.byContainer(host, c.ID); other != nil {
		return
	}
	policy := app.Snapshot().Policy
	row, err := app.Reserve(adoptedID(c), 0, func(r *pool.Row) {
		r.Host, r.Identity, r.Container, r.Adopted, r.Spec = host, identity, c.ID, true, policy.Spec
		r.Unit = policy.Adopt.Unit
		if c.Runs() {
			r.Probing = k.tokens.Add(1)
		} else {
			r.Sleeps()
		}
	})
	if err != nil {
		return // max is reached: the others are left alone
	}
	if f := app.Snapshot().Failure; f != nil && f.Reason == ReasonAbsent {
		app.SetFailure(nil)
	}
	k.Log.Info("container adopted", "app", app.Name, "replica", row.ID, "container", c.Name, "host", host, "state", c.Status)
	if c.Runs() {
		k.acts.Go(func() { k.readopt(k.life, app, row, journal.Pass) })
	}
}

// adoptedID is the same for every Fairlead that meets the container, so that cookies stay valid.
func adoptedID(c runtime.Container) string { return fmt.Sprintf("%.8s", c.ID) }
