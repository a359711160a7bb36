package podman

import (
	"context"
	"errors"
	"fmt"

	"github.com/containers/podman/v5/pkg/bindings/containers"
	"github.com/containers/podman/v5/pkg/bindings/network"
	"github.com/containers/podman/v5/pkg/specgen"

	"github.com/fairlead/fairlead/runtime"
)

// Create makes the container.
func (e *Engine) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	doing := "create " + spec.Name
	if err := runtime.CheckSpec(spec); err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	bound, err := e.bind(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	generator, err := e.generator(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	if err := checkNetworks(bound, generator); err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	made, err := containers.CreateWithSpec(bound, generator, nil)
	switch {
	case err == nil:
		return made.ID, nil
	case nameTaken(err):
		return "", as(doing, runtime.ErrConflict, err)
	case status(err) != 0 && e.lacks(ctx, spec.Image):
		return "", as(doing, runtime.ErrNotFound, err)
	}
	return "", explain(doing, err)
}

// lacks says that the image is not there: a reason for a failed create that libpod reports as 500.
func (e *Engine) lacks(ctx context.Context, image string) bool {
	_, err := e.Image(ctx, image)
	return errors.Is(err, runtime.ErrNotFound)
}

// checkNetworks names the network that is not there; Podman's own error for it is that of an internal failure.
func checkNetworks(bound context.Context, generator *specgen.SpecGenerator) error {
	for name := range generator.Networks {
		there, err := network.Exists(bound, name, nil)
		if err != nil {
			return explain("network "+name, err)
		}
		if !there {
			return fmt.Errorf("there is no network %q: %w", name, runtime.ErrInvalid)
		}
	}
	return nil
}
