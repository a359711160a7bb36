package fiber

import "iter"

// Task is what a fiber runs.
type Task interface{ Run(*Fiber) }

// Fiber is one strand of execution, on its loop or, for a while, away from it. It runs one task after the other. Its
// methods are for what it runs; a nil Fiber is any goroutine, and they do nothing.
type Fiber struct {
	home    *Home
	task    Task
	next    func() (signal, bool)
	stop    func()
	yield   func(signal) bool
	resumed func() // resume, made once
	away    bool
	apart   bool
	spent   int // of its turn
}

// signal is what a fiber tells whoever runs it.
type signal int

const (
	waiting signal = iota // for its connection, or its turn
	leaving               // the loop
	coming                // back to it
	ended
)

func newFiber(h *Home) *Fiber {
	f := &Fiber{home: h}
	f.resumed = f.resume
	f.next, f.stop = iter.Pull(f.live)
	return f
}

// live is the fiber's own side of all switches.
func (f *Fiber) live(yield func(signal) bool) {
	f.yield = yield
	for {
		f.task.Run(f)
		f.task = nil
		if !yield(ended) {
			return
		}
	}
}

// resume runs it on the loop until it waits, leaves or ends.
func (f *Fiber) resume() {
	switch s, _ := f.next(); s {
	case leaving:
		go f.roam()
	case ended:
		f.home.put(f)
	}
}

// roam runs it in a goroutine until it comes back or ends.
func (f *Fiber) roam() {
	switch s, _ := f.next(); s {
	case coming:
		f.home.loop.Do(f.resumed)
	case ended:
		f.home.loop.Do(func() { f.home.put(f) })
	}
}

// MayBlock says that what follows may wait for something else than a Conn, or take long. The next Read or Write of a Conn
// is on the loop again.
func (f *Fiber) MayBlock() {
	if f != nil && !f.away {
		f.away = true
		f.yield(leaving)
	}
}

// Apart is MayBlock for good: until Together or the task's end, only its reading and writing are on the loop.
func (f *Fiber) Apart() {
	if f != nil {
		f.apart = true
		f.MayBlock()
	}
}

// Together ends Apart, on the loop.
func (f *Fiber) Together() {
	if f != nil {
		f.Return()
		f.apart = false
	}
}

// stepAside leads away from the loop again who is Apart, after a Read or Write.
func (f *Fiber) stepAside() {
	if f.apart {
		f.MayBlock()
	}
}

// Return leads back to the loop.
func (f *Fiber) Return() {
	if f != nil && f.away {
		f.away = false
		f.yield(coming)
	}
}

// Home is where it comes from; nil for a nil Fiber.
func (f *Fiber) Home() *Home {
	if f == nil {
		return nil
	}
	return f.home
}

// await is the end of its turn; somebody must resume it.
func (f *Fiber) await() {
	f.spent = 0
	f.yield(waiting)
}

const (
	turn     = 1 << 20 // what a fiber may spend before others have their turn, in bytes
	callCost = 4 << 10 // what a call costs beside its bytes
)

// spend counts a call. A fiber that always finds something to do would keep the loop to itself.
func (f *Fiber) spend() {
	if f.spent += callCost; f.spent >= turn {
		f.home.loop.Do(f.resumed)
		f.await()
	}
}
