package probe

import (
	"cmp"
	"context"
	"fmt"
)

const healthy = "healthy"

// health passes on the engine's word alone. A container without a health check is not healthy: that it runs says
// nothing (case B212).
func health(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	status, err := check.Status(ctx)
	if err != nil {
		return fmt.Errorf("health: %w", timely(ctx, err))
	}
	if status != healthy {
		return fmt.Errorf("health: %w: %s", ErrUnhealthy, cmp.Or(status, "the engine knows of no health check"))
	}
	return nil
}
