package runtime

import (
	"context"
	"errors"
	"time"
)

const removalPoll = 50 * time.Millisecond

// AlreadySo turns the failure of a call into success if the container is by now as the call wanted it. Engines word
// "already paused", "not running" and the like in many ways; their inspect has one.
func AlreadySo(ctx context.Context, engine Inspector, id string, failure error, wanted func(Container) bool) error {
	if failure == nil || errors.Is(failure, ErrNotFound) || ctx.Err() != nil {
		return failure
	}
	if c, err := inspectBounded(ctx, engine, id); err == nil && wanted(c) {
		return nil
	}
	return failure
}

// AwaitGone waits until the container is gone, which ends a removal that somebody else has begun (case B011).
func AwaitGone(ctx context.Context, engine Inspector, id string) error {
	tick := time.NewTicker(removalPoll)
	defer tick.Stop()
	for {
		if _, err := inspectBounded(ctx, engine, id); errors.Is(err, ErrNotFound) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
