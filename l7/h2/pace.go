package h2

import (
	"errors"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// errStalled: the peer has taken nothing for too long.
var errStalled = errors.New("the peer takes nothing of what is sent to it")

// pace watches over a peer who is waited for: who sends a body too slowly, or takes nothing of one, would hold what serves
// him for ever, and answers every PING. Waiting only notes the time; one timer, set by the first wait, compares. The
// connection's mutex guards it.
type pace struct {
	patience time.Duration // with what the peer sends; 0: without a limit
	stall    time.Duration // with a peer who takes nothing; 0: the same
	empty    time.Time     // since when a Read waits; zero: none does
	full     time.Time     // since when a Write waits for room; zero: none does
	slow     bool          // the patience is over
	timer    *time.Timer   // nil: nobody has waited yet
}

// awaitBody waits for news of what the peer sends. The mutex is held.
func (s *Stream) awaitBody() {
	began := time.Now()
	s.pace.empty = began
	s.mind(began)
	s.changed.Wait()
	s.pace.empty = time.Time{}
	if s.pace.patience > 0 {
		s.pace.patience = h1.Patience(s.pace.patience, time.Since(began), 0, s.pace.patience)
	}
}

// awaitRoom waits for the peer to take something. The mutex is held. Who calls it says when it is over.
func (s *Stream) awaitRoom() {
	if s.pace.full.IsZero() {
		s.pace.full = time.Now()
		s.mind(s.pace.full)
	}
	s.changed.Wait()
}

// earn gives patience back for what came.
func (p *pace) earn(n int, most time.Duration) {
	if p.patience > 0 {
		p.patience = h1.Patience(p.patience, 0, n, most)
	}
}

// converse is for what may pause in what it sends, as anything may once it is being answered.
func (p *pace) converse() { p.patience = 0 }

// left is how long may still be waited; false: for ever, or nobody waits.
func (p *pace) left(now time.Time) (left time.Duration, limited bool) {
	if p.patience > 0 && !p.empty.IsZero() {
		left, limited = p.patience-now.Sub(p.empty), true
	}
	if p.stall > 0 && !p.full.IsZero() {
		if room := p.stall - now.Sub(p.full); !limited || room < left {
			left, limited = room, true
		}
	}
	return left, limited
}

// mind sets the timer, unless it is set: then it looks again by itself. The mutex is held.
func (s *Stream) mind(now time.Time) {
	if left, limited := s.pace.left(now); limited && s.pace.timer == nil {
		s.pace.timer = time.AfterFunc(left, s.judge)
	}
}

// judge is the timer's.
func (s *Stream) judge() {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pace.timer = nil
	now := time.Now()
	left, limited := s.pace.left(now)
	switch {
	case !limited || s.err != nil:
	case left > 0:
		s.pace.timer = time.AfterFunc(left, s.judge)
	case s.pace.stall > 0 && !s.pace.full.IsZero() && now.Sub(s.pace.full) >= s.pace.stall:
		s.reset(http2.ErrCodeCancel, errStalled)
		c.kick()
	default:
		s.pace.slow = true
		s.changed.Broadcast()
	}
}

func (p *pace) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// Patient lets the peer be as slow with its body as it likes.
func (s *Stream) Patient() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.pace.converse()
}
