package podman

import (
	"context"
	"maps"
	"slices"

	"github.com/containers/podman/v5/pkg/bindings/images"

	"github.com/fairlead/fairlead/runtime"
)

// Image describes a local image.
func (e *Engine) Image(ctx context.Context, ref string) (runtime.Image, error) {
	if err := runtime.CheckImage(ref); err != nil {
		return runtime.Image{}, err
	}
	bound, err := e.bind(ctx)
	if err != nil {
		return runtime.Image{}, err
	}
	raw, err := images.GetImage(bound, ref, nil)
	if err != nil {
		return runtime.Image{}, explain("image "+ref, err)
	}
	if raw.ImageData == nil {
		return runtime.Image{}, nil
	}
	found := runtime.Image{ID: raw.ID}
	if raw.Config != nil {
		found.Volumes = slices.Sorted(maps.Keys(raw.Config.Volumes))
	}
	return found, nil
}

// Pull makes the image present, as the policy says.
func (e *Engine) Pull(ctx context.Context, ref string, policy runtime.PullPolicy) error {
	return runtime.PullAs(ctx, e, ref, policy, e.options.PullSilence)
}
