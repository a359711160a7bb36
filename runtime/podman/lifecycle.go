package podman

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containers/podman/v5/libpod/define"
	"github.com/containers/podman/v5/pkg/bindings/containers"

	"github.com/fairlead/fairlead/runtime"
)

// Start starts the container. One that runs already is a success (libpod answers 304).
func (e *Engine) Start(ctx context.Context, id string) error {
	return e.change(ctx, "start "+id, id, runtime.Container.Runs, func(bound context.Context) error {
		return containers.Start(bound, id, nil)
	})
}

// Stop sends the stop signal, and kills after grace. A paused container, which libpod refuses to stop, goes on first:
// otherwise the signal would wait for somebody to unpause it.
func (e *Engine) Stop(ctx context.Context, id string, grace time.Duration) error {
	err := e.stop(ctx, id, grace)
	if err == nil || errors.Is(err, runtime.ErrNotFound) || ctx.Err() != nil {
		return err
	}
	if c, looked := e.Inspect(ctx, id); looked != nil || !c.Frozen() {
		return err
	}
	if err := e.Unpause(ctx, id); err != nil {
		return err
	}
	return e.stop(ctx, id, grace)
}

func (e *Engine) stop(ctx context.Context, id string, grace time.Duration) error {
	options := new(containers.StopOptions).WithTimeout(uint(runtime.GraceSeconds(grace)))
	return e.change(ctx, "stop "+id, id, runtime.Container.Stands, func(bound context.Context) error {
		return containers.Stop(bound, id, options)
	})
}

// Pause freezes the container's processes, or says that this engine cannot.
func (e *Engine) Pause(ctx context.Context, id string) error {
	if err := e.mayPause(ctx); err != nil {
		return fmt.Errorf("pause %s: %w", id, err)
	}
	return e.change(ctx, "pause "+id, id, runtime.Container.Frozen, func(bound context.Context) error {
		return containers.Pause(bound, id, nil)
	})
}

// Unpause lets them go on.
func (e *Engine) Unpause(ctx context.Context, id string) error {
	if err := e.mayPause(ctx); err != nil {
		return fmt.Errorf("unpause %s: %w", id, err)
	}
	return e.change(ctx, "unpause "+id, id, runtime.Container.Runs, func(bound context.Context) error {
		return containers.Unpause(bound, id, nil)
	})
}

func (e *Engine) mayPause(ctx context.Context) error {
	raw, err := e.info.Last(ctx, e.askInfo)
	if err != nil {
		return err
	}
	if !canPause(raw) {
		return fmt.Errorf("rootless Podman pauses only with cgroup v2: %w", runtime.ErrUnsupported)
	}
	return nil
}

// change makes one call that changes a container's state; a failure is none if the state is the wanted one.
func (e *Engine) change(ctx context.Context, doing, id string, wanted func(runtime.Container) bool,
	call func(bound context.Context) error) error {
	bound, err := e.bindTo(ctx, id)
	if err != nil {
		return err
	}
	return runtime.AlreadySo(ctx, e, id, explain(doing, call(bound)), wanted)
}

// Remove deletes the container and its anonymous volumes.
func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	bound, err := e.bindTo(ctx, id)
	if err != nil {
		return err
	}
	options := new(containers.RemoveOptions).WithVolumes(true)
	if force {
		options = options.WithForce(true).WithTimeout(0)
	}
	reports, err := containers.Remove(bound, id, options)
	for _, r := range reports {
		err = errors.Join(err, r.Err)
	}
	if err == nil || ctx.Err() != nil {
		return explain("remove "+id, err)
	}
	return e.judgeRemoval(ctx, id, force, explain("remove "+id, err))
}

// judgeRemoval finds out what a failed removal met: libpod says 500 for a container that runs as for any other trouble.
func (e *Engine) judgeRemoval(ctx context.Context, id string, force bool, failure error) error {
	raw, err := e.inspect(ctx, id)
	switch {
	case errors.Is(err, runtime.ErrNotFound):
		return nil
	case err != nil:
		return failure
	case raw.State.Status == define.ContainerStateRemoving.String():
		return runtime.AwaitGone(ctx, e, id) // case B011
	case !force && !translate(raw).Stands():
		return fmt.Errorf("%w: %w", runtime.ErrStillRunning, failure)
	}
	return failure
}
