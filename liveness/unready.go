package liveness

import (
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// sayAgain is how long the same is not said of a replica again.
const sayAgain = time.Minute

// unready is what was said of replicas that run and are not ready. A container that crashes and that its engine starts
// again, several times a second without end, would fill the log (case B203).
type unready struct {
	mu   sync.Mutex // guards the field below
	last map[*pool.Replica]said
}

type said struct {
	what string
	when time.Time
}

// news says whether it is to be said now.
func (u *unready) news(replica *pool.Replica, what string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for r, s := range u.last {
		if now.Sub(s.when) >= sayAgain {
			delete(u.last, r)
		}
	}
	if u.last[replica].what == what {
		return false
	}
	if u.last == nil {
		u.last = make(map[*pool.Replica]said)
	}
	u.last[replica] = said{what, now}
	return true
}
