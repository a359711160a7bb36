package scaler

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// afterEnd is the time that what Fairlead's end cuts off has to leave nothing behind.
const afterEnd = 3 * time.Second

// outliving is a bounded context that goes on for a moment when ctx ends: the reply to a create that is under way tells
// of a container that is to be abandoned.
func outliving(ctx context.Context, bound time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), bound)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(afterEnd):
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}

// abandon removes what a start had made when Fairlead's end cut it off before the container ran: after a `fairlead clean`
// nobody would come to remove it. One that runs is left for the next Fairlead to adopt.
func (s *Scaler) abandon(ctx context.Context, row pool.Row, host *runtime.Host, name string) {
	if ctx.Err() == nil || gone(row) {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterEnd)
	defer cancel()
	c, err := host.Engine.Inspect(bounded, name)
	if err != nil || c.Name != name || !runtime.Ours(c, s.Instance) || c.Start != "" {
		return
	}
	if err := host.Engine.Remove(bounded, c.ID, false); err != nil {
		s.Log.Warn("a container that never ran is left", "container", name, "host", host.Name, "error", err)
	}
}
