package simulated

import (
	"context"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Stats makes up what a running container takes: a page, and no more CPU than time.
func (e *Engine) Stats(ctx context.Context, id string) (runtime.Usage, error) {
	if err := runtime.CheckName(id); err != nil {
		return runtime.Usage{}, err
	}
	return ask(ctx, e, Stats, id, func(w *World, answer func(runtime.Usage, error)) { answer(w.usage(id)) })
}

func (w *World) usage(id string) (runtime.Usage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(id)
	switch {
	case err != nil:
		return runtime.Usage{}, err
	case !c.alive():
		return runtime.Usage{}, fmt.Errorf("stats of %.12s, which is %s: %w", c.ID, c.Status, ErrState)
	}
	return runtime.Usage{Memory: 4096, CPU: time.Since(c.began) + 1}, nil
}
