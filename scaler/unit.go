package scaler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

const (
	// unitBound is only for a unit that has no TimeoutStartSec or TimeoutStopSec of its own: systemd ends what takes too
	// long, and says so.
	unitBound = 15 * time.Minute
	// appearance is how long an engine may take to show the container of a unit that is active.
	appearance = 10 * time.Second
)

// summon has the row's unit started, finds the container that it made, and settles the row: ready, or failed. A unit that
// is active already is not started again, so this also takes in what others started.
func (s *Scaler) summon(ctx context.Context, app *pool.App, row pool.Row) {
	ctx, cancel := whileRow(ctx, row)
	defer cancel()
	began := time.Now()
	host, err := s.Fleet.Host(row.Host)
	if err != nil {
		s.failed(ctx, app, row, nil, "cannot start", err)
		return
	}
	up, reason, err := s.summoned(ctx, app, row, host)
	if err != nil {
		s.failed(ctx, app, row, host, reason, err)
		return
	}
	s.started(app, row, up, began)
}

// summoned waits through the restarts that systemd makes: each has another container.
func (s *Scaler) summoned(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) (up *pool.Upstream,
	reason string, err error) {
	for left := resumptions; ; left-- {
		up, reason, err = s.oneRun(ctx, app, row, host)
		if err == nil || left == 0 || !over(err) {
			return up, reason, err
		}
		if errors.Is(err, errEnding) {
			continue
		}
		if _, ended := host.Units.Active(ctx, row.Unit); ended != nil {
			return nil, reason, because(err, ended)
		}
	}
}

// oneRun starts the unit and waits until its container is ready.
func (s *Scaler) oneRun(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) (*pool.Upstream, string, error) {
	row, err := s.runUnit(ctx, app, row, host)
	if err != nil {
		return nil, "start failed", err
	}
	began := time.Now()
	up, err := s.await(ctx, app, row, host)
	if err != nil {
		return nil, "not ready", err
	}
	s.Metrics.phase(app.Name, "ready", began)
	return up, "", nil
}

var (
	// errRestarts is a unit between two runs.
	errRestarts = errors.New("the unit is being restarted")
	// errEnding is a unit whose run was over when it was to be started, which systemd did not know yet: it started nothing.
	errEnding = errors.New("the unit was ending")
)

// over says whether the container has ended, in whatever way: what comes next is for its unit to say.
func over(err error) bool {
	var exit *readiness.ExitError
	return errors.Is(err, errEnding) || errors.Is(err, errRestarts) || errors.Is(err, errRemoved) || errors.As(err, &exit)
}

// because adds how the unit ended. That the container is gone then is how units end, and nobody's interruption.
func because(err, ended error) error {
	if errors.Is(err, errRestarts) || errors.Is(err, errRemoved) {
		return ended
	}
	return fmt.Errorf("%w; %w", err, ended)
}

// runUnit starts the unit and settles its container's id into the row.
func (s *Scaler) runUnit(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) (pool.Row, error) {
	began := time.Now()
	maker, err := s.maker(ctx, host)
	if err != nil {
		return row, err
	}
	c, err := s.startUnit(ctx, host, row)
	if err != nil {
		return row, err
	}
	if c.Frozen() { // systemd knows nothing of that
		if err := host.Engine.Unpause(ctx, c.ID); err != nil {
			return row, err
		}
	}
	s.Metrics.phase(app.Name, "engine", began)
	row, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		r.Container, r.Identity = c.ID, maker
		return true
	})
	if !ok {
		return row, errRemoved
	}
	return row, nil
}

// startUnit returns the container. It tells a start that failed and is over from one that systemd makes again, and from
// one that never was, since the run before had not ended for systemd.
func (s *Scaler) startUnit(ctx context.Context, host *runtime.Host, row pool.Row) (runtime.Container, error) {
	if host.Units == nil {
		return runtime.Container{}, fmt.Errorf("unit %s: %w", row.Unit, runtime.ErrNoUnits)
	}
	ctx, cancel := context.WithTimeout(ctx, unitBound)
	defer cancel()
	ran, _ := host.Units.Active(ctx, row.Unit) // where systemd says nothing, the start says so
	err := host.Units.Start(ctx, row.Unit)
	if err == nil {
		var c runtime.Container
		if c, err = s.madeBy(ctx, host, row.Unit); err == nil {
			return c, nil
		}
	}
	active, ended := host.Units.Active(ctx, row.Unit)
	switch {
	case ctx.Err() != nil:
	case ended != nil && ran:
		err = fmt.Errorf("%w: %w", errEnding, err)
	case ended == nil && !active:
		err = fmt.Errorf("%w: %w", errRestarts, err)
	}
	return runtime.Container{}, err
}

// madeBy is the container of a unit that is active. One that stands is of a run before.
func (s *Scaler) madeBy(ctx context.Context, host *runtime.Host, unit string) (runtime.Container, error) {
	label := runtime.LabelUnit + "=" + unit
	bounded, cancel := context.WithTimeout(ctx, appearance)
	defer cancel()
	failure := fmt.Errorf("unit %s is active, and no container with the label %s runs on host %s: "+
		"is it of Podman, and that host the same user's?", unit, label, host.Name)
	for wait := backoff(50 * time.Millisecond); bounded.Err() == nil; wait.sleep(bounded) {
		c, found, err := lively(bounded, host.Engine, label)
		if found {
			return c, nil
		}
		if err != nil && bounded.Err() == nil {
			failure = fmt.Errorf("look for the container of unit %s: %w", unit, err)
		}
		if active, ended := host.Units.Active(bounded, unit); bounded.Err() == nil && !active {
			return runtime.Container{}, cmp.Or(ended, fmt.Errorf("unit %s: %w", unit, errRestarts))
		}
	}
	return runtime.Container{}, failure
}

// lively is the first container of that label that has not ended.
func lively(ctx context.Context, engine runtime.Engine, label string) (runtime.Container, bool, error) {
	all, err := engine.Labelled(ctx, label)
	all = slices.DeleteFunc(all, func(c runtime.Container) bool { return !c.Runs() && !c.Frozen() })
	if len(all) == 0 {
		return runtime.Container{}, false, err
	}
	return slices.MinFunc(all, func(a, b runtime.Container) int { return cmp.Compare(a.Name, b.Name) }), true, nil
}

// dismiss has the row's unit stopped. Its container is mostly gone then; one that stays sleeps.
func (s *Scaler) dismiss(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) error {
	bounded, cancel := context.WithTimeout(ctx, unitBound)
	defer cancel()
	if err := host.Stop(bounded, row.Container, row.Unit, 0); err != nil {
		return err
	}
	c, err := readiness.Inspect(bounded, host, row.Container)
	switch {
	case errors.Is(err, runtime.ErrNotFound):
		return s.vanished(bounded, app, row, host)
	case err == nil && c.Runs():
		return fmt.Errorf("container %.12s runs, though unit %s is stopped", row.Container, row.Unit)
	}
	return s.slept(app, row, err)
}

// goesOn lets a row serve whose unit could not be stopped: what systemd fails to do or to say is no reason to keep
// visitors from an app that runs. The next look says what there is, and the next idle time tries again.
func (s *Scaler) goesOn(app *pool.App, row pool.Row, err error) {
	s.Log.Warn("stopping a unit failed, its container serves on", "app", app.Name, "replica", row.ID, "unit", row.Unit,
		"error", err)
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Draining {
			return false
		}
		r.Wakes()
		r.Acting = false
		return true
	})
}
