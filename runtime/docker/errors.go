package docker

import (
	"fmt"

	"github.com/containerd/errdefs"

	"github.com/fairlead/fairlead/runtime"
)

// explain says what was being done and keeps the daemon's message. Only 404 and 400 mean the same everywhere; what a
// 409 means depends on the call.
func explain(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errdefs.IsNotFound(err):
		return as(doing, runtime.ErrNotFound, err)
	case errdefs.IsInvalidArgument(err):
		return as(doing, runtime.ErrInvalid, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

func as(doing string, what, err error) error { return fmt.Errorf("%s: %w: %w", doing, what, err) }
