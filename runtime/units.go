package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// LabelUnit is on every container that a unit of systemd runs with Podman, and says which one: a Quadlet's, or one that
// `podman generate systemd` wrote.
const LabelUnit = "PODMAN_SYSTEMD_UNIT"

// Units is the service manager that runs containers as units. Such a container is started and stopped through it alone:
// what is done to the container behind its back, it would take for a failure. Every call is bounded by its context, and
// an error says nothing about any container.
type Units interface {
	// Start returns when the unit is active. Already so is success, and a start that is under way is waited for.
	Start(ctx context.Context, unit string) error
	// Stop returns when the unit is active no more. Already so is success.
	Stop(ctx context.Context, unit string) error
	// Active says whether the unit is active, or else about to be, as between two runs of one that is restarted. The error
	// says how it ended, or that nothing is known.
	Active(ctx context.Context, unit string) (bool, error)
}

// ErrNoUnits: a host of another machine has another systemd.
var ErrNoUnits = errors.New("no systemd is known for this host: a unit is run beside an engine at unix://, on this machine")

// Start starts a container: through its unit if it has one.
func (h *Host) Start(ctx context.Context, id, unit string) error {
	if unit == "" {
		return h.Engine.Start(ctx, id)
	}
	if h.Units == nil {
		return fmt.Errorf("unit %s: %w", unit, ErrNoUnits)
	}
	return h.Units.Start(ctx, unit)
}

// Stop stops a container: through its unit if it has one, which has a grace of its own.
func (h *Host) Stop(ctx context.Context, id, unit string, grace time.Duration) error {
	if unit == "" {
		return h.Engine.Stop(ctx, id, grace)
	}
	if h.Units == nil {
		return fmt.Errorf("unit %s: %w", unit, ErrNoUnits)
	}
	return h.Units.Stop(ctx, unit)
}
