package simulated

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Call is one entry of an engine's record.
type Call struct {
	On        Op
	Container string // as the caller gave it: an id or a name; for Create the name; for Pull and InspectImage the image
	App       string
	Began     time.Time
	Done      bool
	Err       error
}

// Calls returns the record of all calls so far, in the order in which they began.
func (e *Engine) Calls() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	calls := make([]Call, 0, len(e.calls))
	for _, c := range e.calls {
		calls = append(calls, *c)
	}
	return calls
}

// Count says how many calls of these kinds began; without a kind, how many at all.
func (e *Engine) Count(ops ...Op) int {
	n := 0
	for _, c := range e.Calls() {
		if len(ops) == 0 || slices.Contains(ops, c.On) {
			n++
		}
	}
	return n
}

// ResetCalls empties the record.
func (e *Engine) ResetCalls() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = nil
}

// action carries a call out on a world and answers once, at once or later, whoever still listens.
type action[T any] func(w *World, answer func(T, error))

type reply[T any] struct {
	value T
	err   error
}

// ask is the way of every call: record it, meet a fault or the world, record the outcome.
func ask[T any](ctx context.Context, e *Engine, op Op, what string, act action[T]) (T, error) {
	return askAbout(ctx, e, op, e.World().subject(what), what, act)
}

func askAbout[T any](ctx context.Context, e *Engine, op Op, about subject, what string, act action[T]) (T, error) {
	call := &Call{On: op, Container: what, App: about.app, Began: time.Now()}
	world, err := e.record(call)
	var value T
	if err == nil {
		value, err = meet(ctx, e, world, op, about, act)
	}
	e.settle(call, err)
	return value, err
}

func (e *Engine) record(call *Call) (*World, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, call)
	if e.closed {
		return nil, ErrClosed
	}
	return e.world, nil
}

func (e *Engine) settle(call *Call, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	call.Done, call.Err = true, err
}

func meet[T any](ctx context.Context, e *Engine, w *World, op Op, about subject, act action[T]) (T, error) {
	var zero T
	s := e.trouble(op, about)
	if s == nil {
		return carryOut(ctx, w, act)
	}
	switch s.Kind {
	case Hang:
		return zero, s.hang(ctx)
	case Deaf:
		return zero, s.hang(context.WithoutCancel(ctx))
	case Slow:
		if err := s.delay(ctx); err != nil {
			return zero, err
		}
		return carryOut(ctx, w, act)
	case LateReply:
		value, err := carryOut(ctx, w, act)
		if late := s.delay(ctx); late != nil {
			return zero, late
		}
		return value, err
	case Garbage, LostReply:
		_, _ = carryOut(ctx, w, act) // the reply is what gets lost
		if err := s.delay(ctx); err != nil {
			return zero, err
		}
	case Crash:
		value, err := carryOut(ctx, w, act)
		w.crashSoon(about.id, s.Delay)
		return value, err
	}
	return zero, s.err(about)
}

// carryOut waits for the answer or the caller's context; what was begun goes on either way.
func carryOut[T any](ctx context.Context, w *World, act action[T]) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	if w.isDown() {
		return zero, fmt.Errorf("simulated: dial: %w", syscall.ECONNREFUSED)
	}
	answered := make(chan reply[T], 1)
	act(w, func(value T, err error) { answered <- reply[T]{value, err} })
	select {
	case r := <-answered:
		return r.value, r.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

func (s *script) hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.lifted:
		return s.err(subject{})
	}
}

// delay lasts for the fault's Delay, or less if it is lifted.
func (s *script) delay(ctx context.Context) error {
	if s.Delay <= 0 {
		return nil
	}
	timer := time.NewTimer(s.Delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.lifted:
	case <-timer.C:
	}
	return nil
}
