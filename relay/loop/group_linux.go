package loop

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Group of loops.
type Group struct {
	loops []*Loop
	turn  atomic.Uint32
}

// Shared are the process's loops, one for each core. They begin with the first call and run for good; idle ones cost
// nothing. Nil if the kernel gives none.
func Shared() *Group {
	if group := shared.group.Load(); group != nil {
		return group
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.group.Load() == nil {
		shared.group.Store(begin())
	}
	return shared.group.Load()
}

// shared begins again with each call for as long as it does not succeed: descriptors may be short for a moment.
var shared struct {
	mu    sync.Mutex // guards the beginning
	group atomic.Pointer[Group]
}

func begin() *Group {
	cores := goruntime.GOMAXPROCS(0)
	group := &Group{}
	for range cores {
		l, err := newLoop()
		if err != nil {
			group.close()
			return nil // no descriptor left: goroutines do as well
		}
		group.loops = append(group.loops, l)
	}
	goruntime.GOMAXPROCS(cores + len(group.loops)) // a loop that waits raw seems to run: others need room beside it
	for _, l := range group.loops {
		go l.run()
	}
	return group
}

// close is for loops that do not run.
func (g *Group) close() {
	for _, l := range g.loops {
		unix.Close(l.bell)
		unix.Close(l.epoll)
	}
}

// Pick returns the loop that has the fewest descriptors.
func (g *Group) Pick() *Loop {
	turn := int(g.turn.Add(1))
	best := g.loops[turn%len(g.loops)]
	for i := range g.loops {
		if other := g.loops[(turn+i)%len(g.loops)]; other.Load() < best.Load() {
			best = other
		}
	}
	return best
}

// All are the group's loops.
func (g *Group) All() []*Loop { return g.loops }
