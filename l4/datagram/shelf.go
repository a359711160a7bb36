package datagram

import (
	goruntime "runtime"
	"sync"
)

// shelf keeps all batches that there are. They are few and large: who finds none waits for one, which is never long,
// since nobody waits for anything else while he holds one. A sync.Pool would allocate, and clear, megabytes for each
// goroutine that happens to be ready.
var shelf = newBatches(max(16, 4*goruntime.GOMAXPROCS(0)))

type batches struct {
	free chan struct{} // one for each batch that nobody holds, made or not

	mu   sync.Mutex // guards made
	made []*Batch   // the last used first: its memory is in the cache
}

func newBatches(n int) *batches {
	s := &batches{free: make(chan struct{}, n)}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

func (s *batches) get() *Batch {
	<-s.free
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.made) - 1
	if last < 0 {
		b := &Batch{}
		b.prepare()
		return b
	}
	b := s.made[last]
	s.made = s.made[:last]
	return b
}

func (s *batches) put(b *Batch) {
	s.mu.Lock()
	s.made = append(s.made, b)
	s.mu.Unlock()
	s.free <- struct{}{}
}

func borrow() *Batch { return shelf.get() }
