package loop

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Loop is one thread. Do and Load are for everybody, all else for what runs on the loop.
type Loop struct {
	epoll, bell int
	ready       [256]unix.EpollEvent
	slots       slots
	timers      timers
	again       []Key
	turn        []Key // of again, while it is worked off
	now         time.Duration
	buffer      *Buffer
	eager       bool
	gathers     bool
	senders     []Sender

	load    atomic.Int64
	waiting atomic.Bool

	mu   sync.Mutex // guards jobs
	jobs []func()
	work []func() // of jobs, while they are worked off
}

func newLoop() (*Loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll instance: %w", err)
	}
	l := &Loop{epoll: epoll, buffer: &Buffer{}}
	l.bell, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err == nil {
		_, err = l.Add(l.bell, rung{})
	}
	if err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("create a loop's bell: %w", err)
	}
	l.load.Store(0)
	return l, nil
}

// rung needs to do nothing: each write to an eventfd is told anew, whether or not it is read.
type rung struct{}

func (rung) Ready(Events) {}

// Do has f called on the loop, in the order of the calls.
func (l *Loop) Do(f func()) {
	l.mu.Lock()
	l.jobs = append(l.jobs, f)
	l.mu.Unlock()
	if l.waiting.CompareAndSwap(true, false) {
		l.ring()
	}
}

var one = []byte{1, 0, 0, 0, 0, 0, 0, 0}

func (l *Loop) ring() {
	_, _ = unix.Write(l.bell, one) // full at 2^64: then it has rung
}

// Load is how many descriptors the loop has, more or less.
func (l *Loop) Load() int { return int(l.load.Load()) }

// Add has h told of fd until Remove. The descriptor must not block. What it is ready for already is told as well.
func (l *Loop) Add(fd int, h Handler) (Key, error) { return l.add(fd, h, interest) }

// AddReader is Add for who wants to hear only of what there is to read, and of failures. A socket of datagrams becomes
// writable anew whenever a peer takes one that it has sent: being told of each costs as much as another datagram.
func (l *Loop) AddReader(fd int, h Handler) (Key, error) { return l.add(fd, h, arrivals) }

// AddShared is Add for a listener that is on several loops: one of them is told of what comes.
func (l *Loop) AddShared(fd int, h Handler) (Key, error) { return l.add(fd, h, exclusive) }

func (l *Loop) add(fd int, h Handler, events uint32) (Key, error) {
	key := l.slots.put(fd, h)
	event := unix.EpollEvent{Events: events, Fd: int32(key.place), Pad: int32(key.turn)}
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		l.slots.drop(key)
		return Key{}, fmt.Errorf("add a descriptor to a loop: %w", err)
	}
	l.load.Add(1)
	return key, nil
}

// Remove forgets a descriptor. Its handler is not called any more.
func (l *Loop) Remove(key Key) {
	h, fd := l.slots.of(key)
	if h == nil {
		return
	}
	_ = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, fd, nil)
	l.drop(key)
}

// Forget is Remove for a descriptor that its owner closes now, and that has no other one (dup): closing takes it out.
func (l *Loop) Forget(key Key) {
	if h, _ := l.slots.of(key); h != nil {
		l.drop(key)
	}
}

func (l *Loop) drop(key Key) {
	l.slots.drop(key)
	l.load.Add(-1)
}

// Again has the handler called once more after everybody else had a turn.
func (l *Loop) Again(key Key) { l.again = append(l.again, key) }

// After sets a timer, anew if it was set.
func (l *Loop) After(t *Timer, d time.Duration) { l.timers.set(t, l.now+d) }

// Stop unsets a timer.
func (l *Loop) Stop(t *Timer) { l.timers.stop(t) }

// Now is the time of this turn, since some moment in the past.
func (l *Loop) Now() time.Duration { return l.now }

// Buffer is for one function at a time, until that returns.
func (l *Loop) Buffer() *Buffer { return l.buffer }

var buffers = sync.Pool{New: func() any { return new(Buffer) }}

// Keep gives the buffer to the caller, who hands it to Free later; the loop takes another.
func (l *Loop) Keep() *Buffer {
	kept := l.buffer
	l.buffer = buffers.Get().(*Buffer)
	return kept
}

// Free takes back what Keep gave.
func (l *Loop) Free(b *Buffer) { buffers.Put(b) }

var began = time.Now()

// run is the loop.
func (l *Loop) run() {
	l.now = time.Since(began)
	for {
		n := l.wait()
		l.now = time.Since(began)
		l.serve(l.ready[:n])
		l.repeat()
		l.doJobs()
		l.timers.fire(l.now)
	}
}

// repeat calls those again that asked for it; who asks now waits for the next turn.
func (l *Loop) repeat() {
	l.again, l.turn = l.turn[:0], l.again
	for _, key := range l.turn {
		if h, _ := l.slots.of(key); h != nil {
			h.Ready(0)
		}
	}
}

func (l *Loop) doJobs() {
	l.mu.Lock()
	l.jobs, l.work = l.work[:0], l.jobs
	l.mu.Unlock()
	for i, f := range l.work {
		f()
		l.work[i] = nil
	}
}

// At is a moment by the loops' clock (Now); negative before it began.
func At(t time.Time) time.Duration { return t.Sub(began) }
