package limit

import "sync/atomic"

// Load counts what goes on at once.
type Load struct{ now atomic.Int64 }

// Enter lets one more in, if there are fewer than most. Who was let in leaves by Leave.
func (l *Load) Enter(most int64) bool {
	if l.now.Add(1) <= most {
		return true
	}
	l.now.Add(-1)
	return false
}

// Leave gives the place back.
func (l *Load) Leave() { l.now.Add(-1) }
