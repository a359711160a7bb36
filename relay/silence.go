package relay

import (
	"sync/atomic"
	"time"
)

// silence watches over a tunnel in which nothing moves. Traffic only notes the time; one timer compares.
type silence struct {
	idle, half time.Duration // limits; none unless positive
	fail       func(error)
	born       time.Time
	moved      atomic.Int64 // since born
	oneEnded   atomic.Bool
	timer      *time.Timer
}

const never = time.Duration(1<<63 - 1)

func newSilence(o Options, fail func(error)) *silence {
	s := &silence{idle: o.Idle, half: halfClosed(o), fail: fail, born: time.Now()}
	s.timer = time.AfterFunc(never, s.check)
	s.arm()
	return s
}

func (s *silence) broken() { s.moved.Store(int64(time.Since(s.born))) }

// halfClosed makes the other limit count from now on.
func (s *silence) halfClosed() {
	s.broken()
	s.oneEnded.Store(true)
	s.arm()
}

func (s *silence) stop() { s.timer.Stop() }

// limit that holds now, and what it is called.
func (s *silence) limit() (time.Duration, error) { return limitOf(s.idle, s.half, s.oneEnded.Load()) }

func limitOf(idle, half time.Duration, oneEnded bool) (time.Duration, error) {
	if half > 0 && oneEnded && (idle <= 0 || half < idle) {
		return half, ErrHalfClosed
	}
	return idle, ErrIdle
}

func halfClosed(o Options) time.Duration {
	if o.HalfClosed == 0 {
		return HalfClosed
	}
	return o.HalfClosed
}

// arm sets the timer to the moment at which the limit is reached if nothing moves before.
func (s *silence) arm() {
	if limit, _ := s.limit(); limit > 0 {
		s.timer.Reset(limit - s.lasted())
	}
}

func (s *silence) lasted() time.Duration { return time.Since(s.born) - time.Duration(s.moved.Load()) }

func (s *silence) check() {
	limit, name := s.limit()
	if limit <= 0 {
		return
	}
	if s.lasted() >= limit {
		s.fail(name)
		return
	}
	s.arm()
}
