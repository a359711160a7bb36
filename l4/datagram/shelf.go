package datagram

import (
	goruntime "runtime"
	"sync"
)

// shelf keeps all batches that there are. They are few and large: who finds none waits for one, which is never long,
// since nobody waits for anything else while he holds one, and only who has something to read borrows one. A sync.Pool
// would allocate, and clear, megabytes for each goroutine that happens to be ready.
var shelf = newBatches(max(16, 4*goruntime.GOMAXPROCS(0)))

type batches struct {
	mu     sync.Mutex // guards what follows
	given  sync.Cond  // somebody has given one back
	made   []*Batch   // that nobody holds, the last used first: its memory is in the cache
	unmade int        // how many more there may be
}

func newBatches(n int) *batches {
	s := &batches{unmade: n}
	s.given.L = &s.mu
	return s
}

func (s *batches) get() *Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.made) == 0 {
		if s.unmade > 0 {
			s.unmade--
			b := &Batch{}
			b.prepare()
			return b
		}
		s.given.Wait()
	}
	last := len(s.made) - 1
	b := s.made[last]
	s.made = s.made[:last]
	return b
}

func (s *batches) put(b *Batch) {
	s.mu.Lock()
	s.made = append(s.made, b)
	s.mu.Unlock()
	s.given.Signal()
}

func borrow() *Batch { return shelf.get() }
