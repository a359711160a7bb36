package liveness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

const (
	startBound  = 60 * time.Second
	removeBound = 30 * time.Second
	// attemptBound is the time of one attempt to reach a suspect replica.
	attemptBound = 5 * time.Second
)

// probe checks a row that a look called running. A suspect one needs only to answer where it was; one of a new start
// passes the readiness check that a spawn gets.
func (k *Keeper) probe(ctx context.Context, app *pool.App, row pool.Row, why journal.Trigger) {
	if row.State() == pool.Ready {
		k.clear(ctx, app, row, why)
		return
	}
	k.readopt(ctx, app, row, why)
}

// clear repeats the check until it passes in the same start or something else happens to the row: after 50 ms, doubling
// to 1 s. Not at once: a process that is being killed still accepts for some milliseconds, and engines call it running.
func (k *Keeper) clear(ctx context.Context, app *pool.App, row pool.Row, why journal.Trigger) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		switch {
		case !k.mine(app, row):
			return
		case !k.answers(ctx, app, row):
		case k.sameStart(ctx, row):
			k.cleared(app, row)
			return
		default:
			k.LookAt(ctx, app, row.ID, why) // the answer came from a start that is not the row's (P5)
		}
	}
}

func (k *Keeper) answers(ctx context.Context, app *pool.App, row pool.Row) bool {
	ctx, cancel := context.WithTimeout(ctx, attemptBound)
	defer cancel()
	return k.Checker.Once(ctx, row.Upstream(), app.Snapshot().Policy) == nil
}

// sameStart asks the engine whether the container still is in the start that the row stands for. If the engine says
// nothing, the app's own answer is all there is (P8). If another replica serves at the address by now, the answer was that
// one's, whatever an engine says that notices deaths late (P5).
func (k *Keeper) sameStart(ctx context.Context, row pool.Row) bool {
	if k.Pool.Taken(row) {
		return false
	}
	host, err := k.Fleet.Host(row.Host)
	if err != nil {
		return true
	}
	c, err := readiness.Inspect(ctx, host, row.Container)
	if errors.Is(err, runtime.ErrNotFound) {
		return false // whoever answered, it was not this container
	}
	return err != nil || c.Runs() && c.Start == row.Start()
}

func (k *Keeper) cleared(app *pool.App, row pool.Row) {
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.Probing != row.Probing {
			return false
		}
		r.Cleared()
		return true
	})
}

// mine says whether the row still waits for this very probe.
func (k *Keeper) mine(app *pool.App, row pool.Row) bool {
	now, ok := app.Snapshot().Row(row.ID)
	return ok && now.Probing == row.Probing && now.Upstream() == row.Upstream()
}

// causeNotReady drains a row whose container ran for the whole time that the policy gives, and did not become ready.
const causeNotReady = "not ready"

// readopt waits for readiness and puts the row into routing. What fails the check that a spawn gets ends as a spawn does:
// otherwise it would hold its slot, and its visitors, for ever.
func (k *Keeper) readopt(ctx context.Context, app *pool.App, row pool.Row, why journal.Trigger) {
	up, err := k.ready(ctx, app, row)
	if ctx.Err() != nil {
		return // we stopped: that says nothing
	}
	settled, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.Probing != row.Probing || r.State() != pool.Starting && r.State() != pool.Restarting {
			return false
		}
		r.Probing = 0
		switch {
		case err == nil:
			r.BecomeReady(up)
		case errors.Is(err, probe.ErrNotReady) && !r.Doubt:
			r.Drains(afterUnready(*r, app.Snapshot().Policy), causeNotReady)
		}
		return true
	})
	switch {
	case !ok:
	case err == nil:
		app.SetFailure(nil)
		k.record(journal.ReplicaReadopted, app, settled, why, "")
	case settled.State() == pool.Draining:
		k.record(journal.StartFailed, app, settled, why, err.Error())
	case k.unready.news(row.Replica, err.Error(), time.Now()):
		k.Log.Warn("a running container is not ready", "app", app.Name, "replica", row.ID, "error", err)
	}
}

// afterUnready says what becomes of a container that is not ready: it goes, unless data would go with it.
func afterUnready(row pool.Row, policy *pool.Policy) pool.SleepMode {
	if row.Precious() && policy.SleepOf(row) != pool.SleepRemove {
		return pool.SleepStop
	}
	return pool.SleepRemove
}

func (k *Keeper) ready(ctx context.Context, app *pool.App, row pool.Row) (*pool.Upstream, error) {
	host, err := k.Fleet.Host(row.Host)
	if err != nil {
		return nil, err
	}
	return k.Checker.Await(ctx, host, row.Container, app.Snapshot().Policy.For(row))
}

// startAgain starts the same container inside its window. Whether it worked is for the next look to say.
func (k *Keeper) startAgain(ctx context.Context, app *pool.App, row pool.Row) {
	bounded, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	host, err := k.Fleet.Host(row.Host)
	if err == nil {
		err = host.Start(bounded, row.Container, row.Unit)
	}
	if err != nil {
		k.Log.Warn("starting a stopped container again failed", "app", app.Name, "replica", row.ID, "error", err)
	}
	k.release(app, row)
	k.LookAt(ctx, app, row.ID, journal.Pass)
}

// expire removes a container that stayed stopped past its window, without force: if it runs by now, the engine refuses,
// and the refusal is a new look. One that may be kept, and that nobody waits for or whose data would go, sleeps instead.
func (k *Keeper) expire(ctx context.Context, app *pool.App, row pool.Row, why journal.Trigger) {
	bounded, cancel := context.WithTimeout(ctx, removeBound)
	defer cancel()
	if keeps(row, app.Snapshot().Policy) {
		k.sleep(app, row, why)
		return
	}
	host, err := k.Fleet.Host(row.Host)
	if err == nil {
		k.farewell(app.Name, host, row.Container)
		err = host.Engine.Remove(bounded, row.Container, false)
	}
	k.release(app, row)
	switch {
	case err == nil, errors.Is(err, runtime.ErrNotFound):
		k.record(journal.RestartTimedOut, app, row, why, fmt.Sprintf("stopped for %s", row.Down.Round(time.Second)))
	case !errors.Is(err, runtime.ErrStillRunning):
		k.Log.Warn("removing a stopped container failed", "app", app.Name, "replica", row.ID, "error", err)
		return
	}
	k.LookAt(ctx, app, row.ID, why) // reaps: who called it removed may have been another engine (P1)
}

func (k *Keeper) farewell(app string, host *runtime.Host, container string) {
	if k.Farewell != nil {
		k.Farewell(app, host, container)
	}
}

// keeps says whether a container that stayed stopped is kept: where the policy lets containers sleep, unless our own
// tries to start it have shown that it is of no use. With data in it, that is for the operator to say.
func keeps(row pool.Row, policy *pool.Policy) bool {
	return policy.SleepOf(row) != pool.SleepRemove && (row.Tried.IsZero() || row.Precious())
}

// sleep keeps the container, unless it runs again by now.
func (k *Keeper) sleep(app *pool.App, row pool.Row, why journal.Trigger) {
	_, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Restarting || r.Probing != 0 {
			return false
		}
		r.Sleeps()
		return true
	})
	if !ok {
		k.release(app, row)
		return
	}
	k.record(journal.RestartTimedOut, app, row, why, "kept asleep")
}

// release ends our claim on a row.
func (k *Keeper) release(app *pool.App, row pool.Row) {
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Restarting {
			return false
		}
		r.Acting = false
		return true
	})
}
