package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Fetcher is the part of an engine that a pull needs.
type Fetcher interface {
	Image(ctx context.Context, image string) (Image, error)
	// Fetch asks the registry, whatever is there already. It calls progress whenever something moves.
	Fetch(ctx context.Context, image string, progress func()) error
}

// pullSilence is the time without progress after which a fetch is given up, unless the options give another.
const pullSilence = 30 * time.Second

// PullAs makes an image present as the policy says. A fetch that shows no progress for the time of silence, 0 means 30 s, is
// given up; one that moves may take as long as its context allows.
func PullAs(ctx context.Context, engine Fetcher, image string, policy PullPolicy, silence time.Duration) error {
	if err := CheckImage(image); err != nil {
		return err
	}
	_, missing := engine.Image(ctx, image)
	if missing != nil && !errors.Is(missing, ErrNotFound) {
		return missing
	}
	switch policy {
	case PullNever:
		return missing
	case PullMissing, "":
		if missing == nil {
			return nil
		}
	case PullNewer, PullAlways:
	default:
		return fmt.Errorf("pull policy %q: %w", policy, ErrInvalid)
	}
	err := fetchWatched(ctx, engine, image, cmp.Or(silence, pullSilence))
	if policy == PullNewer && missing == nil && ctx.Err() == nil {
		return nil // what is there is good enough when the registry has no better answer
	}
	return err
}

func fetchWatched(ctx context.Context, engine Fetcher, image string, silence time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := fmt.Errorf("pull %s: no progress for %s", image, silence)
	watch := time.AfterFunc(silence, func() { cancel(silent) })
	defer watch.Stop()
	err := engine.Fetch(ctx, image, func() { watch.Reset(silence) })
	if err != nil && context.Cause(ctx) == silent {
		return silent
	}
	return err
}
