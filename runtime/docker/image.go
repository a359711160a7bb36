package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/jsonmessage"

	"github.com/fairlead/fairlead/runtime"
)

// Image describes a local image.
func (e *Engine) Image(ctx context.Context, ref string) (runtime.Image, error) {
	if err := runtime.CheckImage(ref); err != nil {
		return runtime.Image{}, err
	}
	c, err := e.client(ctx)
	if err != nil {
		return runtime.Image{}, err
	}
	raw, err := c.ImageInspect(ctx, ref)
	if err != nil {
		return runtime.Image{}, explain("image "+ref, err)
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

// Fetch pulls the image. The daemon answers 200 before it knows whether that will work: failures are lines of the
// stream (case B071).
func (e *Engine) Fetch(ctx context.Context, ref string, progress func()) error {
	return runtime.FetchAs(ctx, e.options.Logins, ref, func(login runtime.Login) error {
		return e.fetchAs(ctx, ref, login, progress)
	})
}

func (e *Engine) fetchAs(ctx context.Context, ref string, login runtime.Login, progress func()) error {
	c, err := e.client(ctx)
	if err != nil {
		return err
	}
	stream, err := c.ImagePull(ctx, ref, image.PullOptions{RegistryAuth: login.Header()})
	if err != nil {
		return explain("pull "+ref, err)
	}
	defer stream.Close()
	for lines := json.NewDecoder(stream); ; {
		var line jsonmessage.JSONMessage
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("pull %s: %w", ref, err)
		case line.Error != nil:
			return fmt.Errorf("pull %s: %w", ref, line.Error)
		}
		progress()
	}
}
