package l7

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// lastWords is how long answers may take that the end of the grace caused.
const lastWords = 2 * time.Second

// Drain stops accepting and returns when every exchange has ended, or soon after ctx is over. Idle connections are
// closed and upgrades end at once, WebSockets with 1001: their visitors come back to whoever serves next. Requests go
// on; those that are still held when ctx ends get 503 shutting-down, the others are cut. The front serves no more.
func (f *Front) Drain(ctx context.Context) error {
	f.farewell(errShuttingDown)
	err := f.shutdown(ctx)
	f.hurry(errShuttingDown)
	if err != nil {
		last, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		err = f.shutdown(last)
	}
	f.h2.Close()
	f.quic.close()
	f.server.Close()
	f.client.Close()
	f.h2c.Close()
	f.stories.Wait()
	return err
}

// shutdown lets every front end take its leave, side by side.
func (f *Front) shutdown(ctx context.Context) error {
	var leave errgroup.Group
	leave.Go(func() error { return f.server.Shutdown(ctx) })
	leave.Go(func() error { return f.h2.Shutdown(ctx) })
	leave.Go(func() error { return f.quic.shutdown(ctx) })
	return leave.Wait()
}
