package docker

import (
	"context"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/fairlead/fairlead/runtime"
)

// Start starts the container. One that runs already is a success (Docker answers 304).
func (e *Engine) Start(ctx context.Context, id string) error {
	return e.change(ctx, "start "+id, id, runtime.Container.Runs, func(c session) error {
		return c.ContainerStart(ctx, id, container.StartOptions{})
	})
}

// Stop sends the stop signal, and kills after grace.
func (e *Engine) Stop(ctx context.Context, id string, grace time.Duration) error {
	seconds := runtime.GraceSeconds(grace)
	return e.change(ctx, "stop "+id, id, runtime.Container.Stands, func(c session) error {
		return c.ContainerStop(ctx, id, container.StopOptions{Timeout: &seconds})
	})
}

// Pause freezes the container's processes.
func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.change(ctx, "pause "+id, id, runtime.Container.Frozen, func(c session) error {
		return c.ContainerPause(ctx, id)
	})
}

// Unpause lets them go on.
func (e *Engine) Unpause(ctx context.Context, id string) error {
	return e.change(ctx, "unpause "+id, id, runtime.Container.Runs, func(c session) error {
		return c.ContainerUnpause(ctx, id)
	})
}

// Remove deletes the container and its anonymous volumes.
func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	c, err := e.on(ctx, id)
	if err != nil {
		return err
	}
	err = c.ContainerRemove(ctx, id, container.RemoveOptions{RemoveVolumes: true, Force: force})
	switch {
	case err == nil, errdefs.IsNotFound(err):
		return nil
	case errdefs.IsConflict(err) && strings.Contains(err.Error(), "already in progress"):
		return runtime.AwaitGone(ctx, e, id) // case B011
	case errdefs.IsConflict(err) && !force:
		return as("remove "+id, runtime.ErrStillRunning, err)
	}
	return explain("remove "+id, err)
}

// change makes one call that changes a container's state; a failure is none if the state is the wanted one.
func (e *Engine) change(ctx context.Context, doing, id string, wanted func(runtime.Container) bool,
	call func(session) error) error {
	c, err := e.on(ctx, id)
	if err != nil {
		return err
	}
	return runtime.AlreadySo(ctx, e, id, explain(doing, call(c)), wanted)
}

// on returns a client for a call on a container, after a look at its id or name.
func (e *Engine) on(ctx context.Context, idOrName string) (session, error) {
	if err := runtime.CheckName(idOrName); err != nil {
		return session{}, err
	}
	return e.client(ctx)
}
