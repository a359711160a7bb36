package l7

import (
	"context"
	"sync"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
)

// starts has one context for each upstream that upgrades go to: they end with it (P5), and share it, as what each had for
// itself would be most of what an idle one holds.
type starts struct {
	over context.Context // ends all of them

	mu    sync.Mutex // guards the field below
	known map[*pool.Upstream]context.Context
}

// of returns the context of an upstream. Its cause is h1.ErrEnded, or that of over.
func (s *starts) of(up *pool.Upstream) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[up]; known != nil {
		return known
	}
	if s.known == nil {
		s.known = map[*pool.Upstream]context.Context{}
	}
	ctx, end := context.WithCancelCause(s.over)
	s.known[up] = ctx
	go s.follow(up, end)
	return ctx
}

// follow is the one goroutine that waits for the upstream's end, however many upgrades it has.
func (s *starts) follow(up *pool.Upstream, end context.CancelCauseFunc) {
	select {
	case <-up.Ended():
	case <-s.over.Done():
	}
	end(h1.ErrEnded)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, up)
}
