package podman

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	if config := raw.Config; config != nil {
		found.Volumes = slices.Sorted(maps.Keys(config.Volumes))
		found.ExposedPorts = exposed(config.ExposedPorts)
	}
	found.HasHealth = raw.HealthCheck != nil && len(raw.HealthCheck.Test) > 0 && raw.HealthCheck.Test[0] != "NONE"
	return found, nil
}

func exposed(ports map[string]struct{}) []int {
	var numbers []int
	for port := range ports {
		number, proto, _ := strings.Cut(port, "/")
		if n, err := strconv.Atoi(number); err == nil && n > 0 && (proto == "tcp" || proto == "") {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// Pull makes the image present, as the policy says.
func (e *Engine) Pull(ctx context.Context, ref string, policy runtime.PullPolicy) error {
	return runtime.PullAs(ctx, e, ref, policy, e.options.PullSilence)
}
