package simulated

import (
	"context"
	"slices"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Events streams what happens in the world that is behind the socket now. Its goroutine ends with ctx, with CutEvents,
// and with the daemon.
func (e *Engine) Events(ctx context.Context, since time.Time) (<-chan runtime.Event, error) {
	return ask(ctx, e, Events, "", func(w *World, answer func(<-chan runtime.Event, error)) {
		s := stream{engine: e, world: w, next: w.position(since), cut: e.cutSignal(), out: make(chan runtime.Event)}
		go s.pump(ctx)
		answer(s.out, nil)
	})
}

// CutEvents breaks all event streams.
func (e *Engine) CutEvents() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.cut)
	e.cut = make(chan struct{})
}

func (e *Engine) cutSignal() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cut
}

// position of the first event that a stream delivers.
func (w *World) position(since time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if since.IsZero() {
		return len(w.events)
	}
	i := slices.IndexFunc(w.events, func(ev runtime.Event) bool { return !ev.Time.Before(since) })
	if i < 0 {
		return len(w.events)
	}
	return i
}

func (w *World) happened(from int) (events []runtime.Event, changed <-chan struct{}, down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events[from:]), w.changed, w.down
}

// stream is one subscription; only its pump touches it.
type stream struct {
	engine *Engine
	world  *World
	next   int
	cut    <-chan struct{}
	out    chan runtime.Event
}

func (s *stream) pump(ctx context.Context) {
	defer close(s.out)
	for {
		events, changed, down := s.world.happened(s.next)
		for _, ev := range events {
			if !s.deliver(ctx, ev) {
				return
			}
			s.next++
		}
		if down {
			s.send(ctx, runtime.Event{Err: ErrCut})
			return
		}
		if !s.await(ctx, changed) {
			return
		}
	}
}

// deliver says whether the stream goes on.
func (s *stream) deliver(ctx context.Context, ev runtime.Event) bool {
	about := subject{ev.Container, ev.Name, ev.Labels[runtime.LabelApp]}
	lie := s.engine.lie(Delivery, about, LateEvent, LostEvent)
	switch {
	case lie == nil:
		return s.send(ctx, ev)
	case lie.Kind == LostEvent:
		return true
	}
	late := time.NewTimer(time.Until(ev.Time.Add(lie.Delay)))
	defer late.Stop()
	select {
	case <-late.C:
	case <-lie.lifted:
	case <-s.cut:
		return s.broken(ctx)
	case <-ctx.Done():
		return false
	}
	return s.send(ctx, ev)
}

func (s *stream) await(ctx context.Context, changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	case <-s.cut:
		return s.broken(ctx)
	case <-ctx.Done():
		return false
	}
}

func (s *stream) send(ctx context.Context, ev runtime.Event) bool {
	select {
	case s.out <- ev:
		return true
	case <-s.cut:
		return s.broken(ctx)
	case <-ctx.Done():
		return false
	}
}

// broken sends the last event of a stream that was cut.
func (s *stream) broken(ctx context.Context) bool {
	select {
	case s.out <- runtime.Event{Err: ErrCut}:
	case <-ctx.Done():
	}
	return false
}
