package relay

import (
	"sync"
	"sync/atomic"
)

// leaving is set in a tally's state when somebody waits for the last one. It is above any count.
const leaving = 1 << 62

// Tally counts what runs, until it is closed and the last one has ended. It is what a sync.WaitGroup must not be used
// for: there, a beginning that comes just when the last one ends, while somebody waits, is a misuse and may panic. Use
// NewTally.
type Tally struct {
	state atomic.Int64 // how many run, and whether Wait was called
	ended chan struct{}
	once  sync.Once
}

// NewTally makes one of which nothing runs.
func NewTally() *Tally { return &Tally{ended: make(chan struct{})} }

// Begin counts one more, whose owner calls End. False if the last one has ended after Wait was called: then nothing begins
// any more, and there must be no End.
func (t *Tally) Begin() bool {
	for {
		state := t.state.Load()
		if state == leaving {
			return false
		}
		if t.state.CompareAndSwap(state, state+1) {
			return true
		}
	}
}

// End counts one less.
func (t *Tally) End() {
	if t.state.Add(-1) == leaving {
		close(t.ended)
	}
}

// Wait returns when nothing runs, and nothing will. It may be called more than once.
func (t *Tally) Wait() {
	t.once.Do(func() {
		if t.state.Add(leaving) == leaving {
			close(t.ended)
		}
	})
	<-t.ended
}
