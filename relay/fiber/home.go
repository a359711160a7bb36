package fiber

import (
	"sync"

	"github.com/fairlead/fairlead/relay/loop"
)

// mostSpare is how many idle fibers a loop keeps: each has its stack.
const mostSpare = 256

// Home is what a loop keeps of its fibers.
type Home struct {
	loop  *loop.Loop
	spare []*Fiber
}

var homes sync.Map // *loop.Loop: *Home

// Of a loop.
func Of(l *loop.Loop) *Home {
	if h, ok := homes.Load(l); ok {
		return h.(*Home)
	}
	h, _ := homes.LoadOrStore(l, &Home{loop: l})
	return h.(*Home)
}

// Start begins a task, on the loop, and returns when it waits for the first time.
func (h *Home) Start(t Task) {
	f := h.take()
	f.task = t
	f.resume()
}

func (h *Home) take() *Fiber {
	last := len(h.spare) - 1
	if last < 0 {
		return newFiber(h)
	}
	f := h.spare[last]
	h.spare[last] = nil
	h.spare = h.spare[:last]
	return f
}

func (h *Home) put(f *Fiber) {
	f.away, f.apart, f.spent = false, false, 0
	if len(h.spare) >= mostSpare {
		f.stop()
		return
	}
	h.spare = append(h.spare, f)
}
