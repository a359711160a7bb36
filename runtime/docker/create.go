package docker

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"

	"github.com/fairlead/fairlead/runtime"
)

// undoBound bounds the removal of a container that could not be completed, whose own context may be over.
const undoBound = 10 * time.Second

// Create makes the container and joins it to its networks.
func (e *Engine) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	if err := runtime.CheckSpec(spec); err != nil {
		return "", fmt.Errorf("create %s: %w", spec.Name, err)
	}
	c, err := e.client(ctx)
	if err != nil {
		return "", err
	}
	if err := checkNetworks(ctx, c, spec.Networks); err != nil {
		return "", fmt.Errorf("create %s: %w", spec.Name, err)
	}
	host, err := e.hostConfig(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("create %s: %w", spec.Name, err)
	}
	made, err := c.ContainerCreate(ctx, config(spec), host, nil, nil, spec.Name)
	if errdefs.IsConflict(err) {
		return "", as("create "+spec.Name, runtime.ErrConflict, err)
	}
	if err != nil {
		return "", explain("create "+spec.Name, err)
	}
	return made.ID, e.join(ctx, c, made.ID, spec.Networks)
}

// checkNetworks looks before the creation: Docker creates a container of a network that is not there, and only its
// start fails.
func checkNetworks(ctx context.Context, c session, names []string) error {
	for _, name := range names {
		if container.NetworkMode(name).IsUserDefined() {
			if err := checkNetwork(ctx, c, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkNetwork(ctx context.Context, c session, name string) error {
	_, err := c.NetworkInspect(ctx, name, network.InspectOptions{})
	if errdefs.IsNotFound(err) {
		return fmt.Errorf("there is no network %q on %s: %w", name, c.DaemonHost(), runtime.ErrInvalid)
	}
	return explain("network "+name, err)
}

// join connects the networks after the first, which API versions below 1.44 refuse at creation. A container that
// cannot be joined is removed again, so that no half-made one is ever started.
func (e *Engine) join(ctx context.Context, c session, id string, networks []string) error {
	for i, name := range networks {
		if i == 0 {
			continue
		}
		if err := c.NetworkConnect(ctx, name, id, nil); err != nil {
			undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoBound)
			defer cancel()
			_ = e.Remove(undo, id, true) // if this fails, too, the name still leads to it
			return explain("join network "+name, err)
		}
	}
	return nil
}
