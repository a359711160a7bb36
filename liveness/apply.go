package liveness

import (
	"fmt"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// apply settles one observation and does what follows from it. The identity under which the container was known before is
// returned, if the look saw it.
func (k *Keeper) apply(app *pool.App, host, identity string, o runtime.Observation, seen Seen, why journal.Trigger) (proven string) {
	k.fill(&seen, app, host, o)
	before, after, act, fresh := k.settled(app, identity, o, seen)
	if !fresh {
		return ""
	}
	if before.State() == pool.Ready && after.State() == pool.Restarting {
		k.record(journal.RestartDetected, app, after, why, causeOf(o))
	}
	k.act(app, after, act, why)
	if exists(o.Verdict) {
		return before.Identity
	}
	return ""
}

// settled decides and publishes the change in one critical section. An observation that is not fresh is dropped: its row
// moved on, or a newer look was applied first.
func (k *Keeper) settled(app *pool.App, identity string, o runtime.Observation, seen Seen) (before, after pool.Row, act Act, fresh bool) {
	row, changed := app.Settle(o.Replica, o.Version, func(r *pool.Row) bool {
		if r.Container != o.Query.Container || !r.FirstOf(o.Asked) {
			return false
		}
		before, fresh = *r, true
		after, act = Decide(*r, seen)
		k.claim(&after, act)
		if o.Verdict != runtime.Unknown {
			after.Identity = identity // the same engine under a new name is learned
		}
		if exists(o.Verdict) {
			after.Volumes = o.Container.AnonymousVolumes > 0
		}
		if after == before {
			return false
		}
		*r = after
		return true
	})
	if changed {
		after = row // with its new version
	}
	return before, after, act, fresh
}

// claim marks the row with what is about to be done, so that it is done once.
func (k *Keeper) claim(row *pool.Row, act Act) {
	switch act {
	case Probe:
		row.Probing = k.tokens.Add(1)
	case StartAgain, Expire:
		row.Acting = true
	}
}

// fill adds what a decision needs besides the verdict.
func (k *Keeper) fill(seen *Seen, app *pool.App, host string, o runtime.Observation) {
	snap := app.Snapshot()
	seen.Verdict, seen.Policy, seen.Now = o.Verdict, snap.Policy, time.Now()
	seen.Wanted = (app.Waiting(seen.Now) > 0 || serving(snap) < snap.Policy.Min) && hasRoom(snap)
	if !exists(o.Verdict) {
		return
	}
	seen.Start = o.Container.Start
	h, err := k.Fleet.Host(host)
	if err != nil || o.Verdict != runtime.Running {
		return
	}
	row, ok := snap.Row(o.Replica)
	switch {
	case ok && row.Upstream() != nil: // none is an answer, too
		seen.Endpoints, _ = readiness.SeenAt(h.Reach, o.Container, row.Upstream())
	case ok:
		seen.Endpoints, _ = readiness.Endpoints(h.Reach, o.Container, snap.Policy.For(row))
	}
}

// exists says whether the look saw the container.
func exists(v runtime.Verdict) bool { return v != runtime.Unknown && v != runtime.Missing }

// hasRoom says whether the rows that stand are no more than max allows. Above it nothing is started, not even again (P2):
// one of them is on its way out.
func hasRoom(snap *pool.Snapshot) bool {
	rows := 0
	for _, row := range snap.Rows {
		if !row.Surge {
			rows++
		}
	}
	return rows <= snap.Policy.Max
}

func serving(snap *pool.Snapshot) (n int) {
	for _, row := range snap.Rows {
		if row.Serves() || row.State() == pool.Starting {
			n++
		}
	}
	return n
}

func (k *Keeper) act(app *pool.App, row pool.Row, act Act, why journal.Trigger) {
	switch act {
	case Probe:
		k.acts.Go(func() { k.probe(k.life, app, row, why) })
	case StartAgain:
		k.acts.Go(func() { k.startAgain(k.life, app, row) })
	case Expire:
		k.acts.Go(func() { k.expire(k.life, app, row, why) })
	case Reap:
		k.reap(app, row, why)
	}
}

// reap is the one cleanup of a container that is gone. One that we are removing is told with our own reason: the look
// was only faster than the engine's reply.
func (k *Keeper) reap(app *pool.App, row pool.Row, why journal.Trigger) {
	reaped, ok := app.Remove(row.ID, 0)
	switch {
	case !ok:
	case reaped.Ending():
		k.record(journal.Ended(reaped.Cause), app, reaped, "", reaped.Cause)
	default:
		k.record(journal.ReplicaReaped, app, reaped, why, "container is gone")
	}
}

func (k *Keeper) record(word journal.Word, app *pool.App, row pool.Row, why journal.Trigger, cause string) {
	k.Journal.Record(journal.Event{Word: word, App: app.Name, Replica: row.ID, Container: row.Container,
		Host: row.Host, Trigger: why, Cause: cause})
}

func causeOf(o runtime.Observation) string {
	switch {
	case o.Verdict != runtime.Stopped:
		return "another start"
	case o.Container.OOM:
		return "out of memory"
	default:
		return fmt.Sprintf("%s, exit code %d", o.Container.Status, o.Container.ExitCode)
	}
}
