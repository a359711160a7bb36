package loop

import (
	"container/heap"
	"time"
)

// Timer calls Fire on the loop. Its zero value with a Fire is ready for After.
type Timer struct {
	Fire  func()
	at    time.Duration // by the loop's clock
	place int           // in the heap, from 1; 0: not set
}

// timers are those of a loop, the next first.
type timers []*Timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].at < t[j].at }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].place, t[j].place = i+1, j+1
}

func (t *timers) Push(x any) {
	timer := x.(*Timer)
	*t = append(*t, timer)
	timer.place = len(*t)
}

func (t *timers) Pop() any {
	last := len(*t) - 1
	timer := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	timer.place = 0
	return timer
}

func (t *timers) set(timer *Timer, at time.Duration) {
	timer.at = at
	if timer.place > 0 {
		heap.Fix(t, timer.place-1)
		return
	}
	heap.Push(t, timer)
}

func (t *timers) stop(timer *Timer) {
	if timer.place > 0 {
		heap.Remove(t, timer.place-1)
	}
}

// fire calls whatever is due.
func (t *timers) fire(now time.Duration) {
	for len(*t) > 0 && (*t)[0].at <= now {
		heap.Pop(t).(*Timer).Fire()
	}
}
