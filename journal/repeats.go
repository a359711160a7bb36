package journal

import (
	"maps"
	"time"
)

const (
	// burst is how many of the same the log is told within a quiet time: one condition that comes back for ever must not
	// fill the disk (case B188 saw five million lines a minute).
	burst = 3
	quiet = 30 * time.Second
	// apart bounds how many different events are remembered.
	apart = 1024
)

// repeats counts events that are the same but for their number and time.
type repeats map[Event]*repeat

type repeat struct {
	since  time.Time // the begin of its quiet time
	told   int       // in that time
	untold int       // since the last that was told
}

// tell says whether the log is to be told, and how many it was not told before.
func (r repeats) tell(e Event, now time.Time) (untold int, tell bool) {
	same := r.of(e, now)
	if now.Sub(same.since) >= quiet {
		same.since, same.told = now, 0
	}
	if same.told == burst {
		same.untold++
		return 0, false
	}
	same.told++
	untold, same.untold = same.untold, 0
	return untold, true
}

func (r repeats) of(e Event, now time.Time) *repeat {
	e.Seq, e.Time = 0, time.Time{}
	if same := r[e]; same != nil {
		return same
	}
	if len(r) >= apart {
		maps.DeleteFunc(r, func(_ Event, same *repeat) bool { return now.Sub(same.since) >= quiet })
	}
	if len(r) >= apart {
		clear(r) // so many different ones are no repetition
	}
	r[e] = &repeat{since: now}
	return r[e]
}
