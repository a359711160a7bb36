package simulated

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/fairlead/fairlead/runtime"
)

// Print appends a line to a container's output.
func (w *World) Print(idOrName, line string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(idOrName)
	if err != nil {
		return err
	}
	c.log = fmt.Appendln(c.log, line)
	w.notify()
	return nil
}

func (w *World) logs(ctx context.Context, id string, options runtime.LogOptions) (io.ReadCloser, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(id)
	if err != nil {
		return nil, err
	}
	from := 0
	if options.Tail > 0 {
		from = tail(c.log, options.Tail)
	}
	if !options.Follow {
		return io.NopCloser(bytes.NewReader(bytes.Clone(c.log[from:]))), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	return &follower{ctx: ctx, cancel: cancel, world: w, of: c, next: from}, nil
}

// tail finds where the last n lines begin.
func tail(log []byte, n int) int {
	at := len(log)
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(log[:at-1], '\n') + 1
	}
	return at
}

// follower reads a container's output as it grows, until the container stops.
type follower struct {
	ctx    context.Context
	cancel context.CancelFunc
	world  *World
	of     *container
	next   int
}

func (f *follower) Read(p []byte) (int, error) {
	for {
		n, changed, alive := f.more(p)
		if n > 0 {
			return n, nil
		}
		if !alive {
			return 0, io.EOF
		}
		select {
		case <-changed:
		case <-f.ctx.Done():
			return 0, f.ctx.Err()
		}
	}
}

func (f *follower) more(p []byte) (n int, changed <-chan struct{}, alive bool) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	n = copy(p, f.of.log[f.next:])
	f.next += n
	return n, f.world.changed, f.of.alive()
}

func (f *follower) Close() error {
	f.cancel()
	return nil
}
