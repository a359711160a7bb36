package scaler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// finish ends a drained row as its Then says, and tries until it worked or the row is gone: a container that may still
// be there keeps its slot.
func (s *Scaler) finish(ctx context.Context, app *pool.App, row pool.Row) {
	if row.Adopted && row.Then == pool.SleepRemove {
		s.removed(app, row) // it is let go as it is: only who made it removes it (P9)
		return
	}
	ctx, cancel := whileRow(ctx, row)
	defer cancel()
	for wait := backoff(500 * time.Millisecond); ctx.Err() == nil; wait.sleep(ctx) {
		host, err := s.Fleet.Host(row.Host)
		if err != nil {
			continue // the host is not configured any more: whoever removed it forgets its rows
		}
		if err = s.end(ctx, app, row, host); err == nil || ctx.Err() != nil {
			return // done, or a look has reaped the row before the engine's own reply
		}
		if row.Unit != "" {
			s.goesOn(app, row, err)
			return
		}
		s.Log.Warn("stopping a replica failed, will try again", "app", app.Name, "replica", row.ID, "host", row.Host, "error", err)
	}
}

func (s *Scaler) end(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) error {
	if row.Unit != "" {
		return s.dismiss(ctx, app, row, host)
	}
	grace := app.Snapshot().Policy.StopGrace
	bounded, cancel := context.WithTimeout(ctx, grace+startBound)
	defer cancel()
	if row.Then == pool.SleepPause {
		if err := pause(bounded, host, row.Container); !errors.Is(err, runtime.ErrUnsupported) {
			return s.slept(app, row, err)
		}
	}
	switch err := host.Engine.Stop(bounded, row.Container, grace); {
	case errors.Is(err, runtime.ErrNotFound):
		return s.vanished(bounded, app, row, host)
	case err != nil || row.Then != pool.SleepRemove:
		return s.slept(app, row, err)
	}
	if row.Cause != journal.CauseFailed { // that output is kept already
		s.KeepOutput(app.Name, host, row.Container)
	}
	if err := host.Engine.Remove(bounded, row.Container, true); err != nil {
		return err
	}
	return s.vanished(bounded, app, row, host) // another engine would have called it already so
}

// removed ends the row. Somebody else's hand it was if the container was only to be stopped.
func (s *Scaler) removed(app *pool.App, row pool.Row) {
	word, cause := journal.Ended(row.Cause), row.Cause
	if row.Then != pool.SleepRemove && row.Unit == "" { // units take their containers with them
		word, cause = journal.ReplicaReaped, "container is gone"
	}
	if _, ok := app.Remove(row.ID, 0); ok {
		s.record(word, app, row, cause)
	}
}

// vanished ends a row whose container the engine has removed or does not know, if a look says the same: the engine that
// answers may be another one (P1).
func (s *Scaler) vanished(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) error {
	query := runtime.Query{Replica: row.ID, Container: row.Container, Identity: row.Identity, Alone: true}
	outcome := host.Look(ctx, []runtime.Query{query})
	if outcome.Err != nil {
		return outcome.Err
	}
	for _, o := range outcome.Report.Observations {
		if o.Verdict != runtime.Missing && row.Identity != "" {
			return fmt.Errorf("container %.12s should be gone, but the look says %s: %s", row.Container, o.Verdict, o.Cause)
		}
	}
	s.removed(app, row)
	return nil
}

// pause leaves alone what ended by itself meanwhile: that can be woken, too.
func pause(ctx context.Context, host *runtime.Host, id string) error {
	err := host.Engine.Pause(ctx, id)
	if err == nil || errors.Is(err, runtime.ErrUnsupported) {
		return err
	}
	if c, again := readiness.Inspect(ctx, host, id); again == nil && c.Stands() {
		return nil
	}
	return err
}

// slept settles a container that was stopped or paused to be woken again.
func (s *Scaler) slept(app *pool.App, row pool.Row, err error) error {
	if err != nil {
		return err
	}
	_, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Draining {
			return false
		}
		r.Sleeps()
		if r.Then == pool.SleepStop && r.Spec == app.Snapshot().Policy.Spec {
			r.Replace = false // its next start is all that a restart asks for
		}
		return true
	})
	if ok {
		s.record(journal.ReplicaStopped, app, row, row.Cause)
	}
	return nil
}
