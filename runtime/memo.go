package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// askBound is the longest that a question is waited for, whoever asked it.
	askBound = 15 * time.Second
	// askPatience is how long others wait for a question that is under way, before they ask themselves.
	askPatience = 3 * time.Second
)

// Memo remembers what an engine said of itself for as long as the socket dials no new connection: behind a new one
// there may be another engine, or the same one after an upgrade.
type Memo[T any] struct {
	Socket *Socket
	held   atomic.Pointer[remembered[T]]

	mu     sync.Mutex // guards asking
	asking *question[T]
}

type remembered[T any] struct {
	value T
	dials uint64
}

// question is one that is under way. What follows done is set when that is closed.
type question[T any] struct {
	dials uint64 // before it
	began time.Time
	done  chan struct{}
	value T
	err   error
}

// Get returns the remembered value, or asks. Concurrent callers share a question, which goes on when they leave: Podman
// takes a fifth of a second to describe itself on an idle machine, and on a busy one questions that were given up and
// asked again kept it from answering anybody, for half a minute in a smoke. One that takes long is not waited for, since
// it may hang. An answer counts for the dials before the question, so that one is of no use if anything was dialled
// meanwhile: nobody knows which connection gave it.
func (m *Memo[T]) Get(ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	before := m.Socket.Dials()
	for {
		if held := m.held.Load(); held != nil && held.dials >= before {
			return held.value, nil
		}
		q, own := m.join(ctx, ask)
		select {
		case <-q.done:
			if q.dials >= before {
				return q.value, q.err
			}
		case <-q.patience(own):
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
}

// join returns the question that is under way, or begins one of the caller's own.
func (m *Memo[T]) join(ctx context.Context, ask func(context.Context) (T, error)) (q *question[T], own bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q := m.asking; q != nil && time.Since(q.began) < askPatience {
		return q, false
	}
	q = &question[T]{dials: m.Socket.Dials(), began: time.Now(), done: make(chan struct{})}
	m.asking = q
	go m.answer(context.WithoutCancel(ctx), q, ask)
	return q, true
}

// patience ends the waiting for another's question. Whoever asked himself waits on.
func (q *question[T]) patience(own bool) <-chan time.Time {
	if own {
		return nil
	}
	return time.After(time.Until(q.began.Add(askPatience)))
}

func (m *Memo[T]) answer(ctx context.Context, q *question[T], ask func(context.Context) (T, error)) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	q.value, q.err = ask(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if held := m.held.Load(); q.err == nil && (held == nil || held.dials <= q.dials) {
		m.held.Store(&remembered[T]{q.value, q.dials})
	}
	if m.asking == q {
		m.asking = nil
	}
	close(q.done)
}

// Last returns what was answered last, whatever was dialled since, and asks only if nothing ever was. It is for what may
// be a look out of date, on the way of a visitor who waits.
func (m *Memo[T]) Last(ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	if held := m.held.Load(); held != nil {
		return held.value, nil
	}
	return m.Get(ctx, ask)
}
