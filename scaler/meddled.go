package scaler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

const (
	// resumption is how long a container that was told to end while it was being started has for running again: docker
	// restart takes about so long.
	resumption = 2 * time.Second
	// resumptions are how many of them one start may have.
	resumptions = 3
)

// errRemoved is the end of a start whose container somebody else has removed.
var errRemoved = errors.New("somebody else removed the container")

// await waits for readiness, through restarts by others.
func (s *Scaler) await(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host) (*pool.Upstream, error) {
	for left := resumptions; ; left-- {
		up, err := s.Checker.Await(ctx, host, row.Container, app.Snapshot().Policy.For(row))
		if err == nil || left == 0 {
			return up, err
		}
		if err = s.resumed(ctx, host, row.Container, err); err != nil {
			return nil, err
		}
	}
}

// resumed returns nil if a container that was told to end runs again within a moment, and otherwise what ended the start.
func (s *Scaler) resumed(ctx context.Context, host *runtime.Host, id string, ended error) error {
	ctx, cancel := context.WithTimeout(ctx, resumption)
	defer cancel()
	for told := wasTold(ended); ; {
		c, err := readiness.Inspect(ctx, host, id)
		switch {
		case errors.Is(err, runtime.ErrNotFound):
			return fmt.Errorf("%w: %w", errRemoved, err)
		case !told:
			return ended
		case err == nil && c.Runs():
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ended
		}
	}
}

// wasTold says whether a container ended as those do that are asked or made to: cleanly, or by SIGTERM or SIGKILL. What
// ends by itself mostly says another code, and nobody is kept waiting for it.
func wasTold(err error) bool {
	var exit *readiness.ExitError
	return errors.As(err, &exit) && !exit.OOM && slices.Contains([]int{0, 128 + 15, 128 + 9}, exit.Code)
}
