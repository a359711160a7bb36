package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Watch is what happens to the container meanwhile. All fields may be left out.
type Watch struct {
	// Exited ends the waiting at once with the error it yields.
	Exited <-chan error
	// Alive is asked every 250 ms, apart from the attempts, one call at a time; its error ends the waiting at once.
	// What it is not sure of must be nil.
	Alive func(ctx context.Context) error
	// Addr is asked before each attempt, so that a container that moves is followed; it must not block.
	Addr func() netip.AddrPort
}

const (
	alivePoll = 250 * time.Millisecond
	// patience is how long the next attempt waits for one that hangs before it joins it: an app that is slow to answer
	// passes, and a connection that was lost while it booted does not cost the whole timeout.
	patience = time.Second
	atOnce   = 8
)

// Until repeats the check until an attempt passes, ctx ends (*NotReadyError), or the container does (ErrExited).
func (p Prober) Until(ctx context.Context, check Check, watch Watch) error {
	if err := check.Valid(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := waiting{
		prober: p, check: check, watch: watch, began: time.Now(),
		outcomes: make(chan error, atOnce), died: make(chan error, 1),
	}
	if watch.Alive != nil {
		go w.heed(ctx)
	}
	return w.run(ctx)
}

// waiting is one call of Until. Attempts report to outcomes, which has room for all of them: none is left behind when
// the call returns early.
type waiting struct {
	prober   Prober
	check    Check
	watch    Watch
	began    time.Time
	outcomes chan error
	died     chan error
	pending  int
	last     error // the last failure that says something
}

func (w *waiting) run(ctx context.Context) error {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			next.Reset(w.attempt(ctx))
		case err := <-w.outcomes:
			w.pending--
			if err == nil || errors.Is(err, ErrCheck) {
				return err
			}
			if !over(ctx) { // else it was broken off, which says nothing
				w.last = err
			}
			next.Reset(interval(time.Since(w.began)))
		case err := <-w.died:
			return w.exited(err)
		case err := <-w.watch.Exited:
			return w.exited(err)
		case <-ctx.Done():
			return w.overdue(ctx)
		}
	}
}

// over says whether ctx has ended, or is about to: a dial that its deadline ends may say so before it does.
func over(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && !time.Now().Before(deadline)
}

// attempt begins one if there is room, and says when to think about another.
func (w *waiting) attempt(ctx context.Context) time.Duration {
	if w.pending < atOnce {
		w.pending++
		check := w.check
		if w.watch.Addr != nil {
			check.Addr = w.watch.Addr()
		}
		go w.try(ctx, check)
	}
	return patience
}

func (w *waiting) try(ctx context.Context, check Check) { w.outcomes <- w.prober.Once(ctx, check) }

// interval between attempts: a fresh container is asked often, since someone waits for it, and one that takes its time
// costs little.
func interval(elapsed time.Duration) time.Duration {
	if elapsed >= 5*time.Second {
		return 250 * time.Millisecond
	}
	return min(100*time.Millisecond, elapsed+10*time.Millisecond) // so it doubles: 10, 20, 40, 80
}

func (w *waiting) exited(cause error) error {
	if cause == nil { // the channel was closed
		return ErrExited
	}
	return fmt.Errorf("%w: %w", ErrExited, cause)
}

func (w *waiting) overdue(ctx context.Context) error {
	last := w.last
	if last == nil {
		last = ErrTimeout
	}
	return &NotReadyError{After: time.Since(w.began), Last: last, Cause: context.Cause(ctx)}
}

func (w *waiting) heed(ctx context.Context) {
	tick := time.NewTicker(alivePoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := w.watch.Alive(ctx); err != nil && ctx.Err() == nil {
			w.died <- err
			return
		}
	}
}
