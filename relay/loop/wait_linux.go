package loop

import (
	"syscall"
	"time"
	"unsafe"
)

// eagerly is how long a busy loop waits out of the scheduler's sight. To the scheduler a thread in a visible call is
// one that has to be replaced, which costs more than a message does; one in a raw call just runs. So a loop that had
// something to do a moment ago waits raw, and one that had nothing for so long waits visibly and holds nobody up. A
// collection of garbage need not wait for it: its signal ends the call (EINTR).
const eagerly = 5 * time.Millisecond

// wait returns how many events there are. It is over when there is something else to do.
func (l *Loop) wait() int {
	limit := l.patience()
	if limit == 0 {
		return l.poll(raw, 0)
	}
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	if l.hasJobs() {
		return l.poll(raw, 0)
	}
	if l.eager && (limit < 0 || limit > eagerly) {
		if n := l.poll(raw, eagerly); n != 0 {
			return max(n, 0)
		}
		l.eager = false
		return 0 // the clock has moved
	}
	if l.eager {
		return max(l.poll(raw, limit), 0)
	}
	n := max(l.poll(visible, limit), 0)
	l.eager = n > 0
	return n
}

// patience is how long the loop may wait: negative as long as it takes.
func (l *Loop) patience() time.Duration {
	switch {
	case len(l.again) > 0:
		return 0
	case len(l.timers) == 0:
		return -1
	}
	return max(0, l.timers[0].at-time.Since(began))
}

func (l *Loop) hasJobs() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs) > 0
}

type call func(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno)

var (
	raw     call = syscall.RawSyscall6
	visible call = syscall.Syscall6
)

// poll is negative when it was interrupted.
func (l *Loop) poll(wait call, limit time.Duration) int {
	ms := -1
	if limit >= 0 {
		ms = int((limit + time.Millisecond - 1) / time.Millisecond)
	}
	n, _, errno := wait(syscall.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.ready[0])), uintptr(len(l.ready)),
		uintptr(ms), 0, 0)
	if errno != 0 {
		return -1
	}
	return int(n)
}
