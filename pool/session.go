package pool

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"sync/atomic"
	"time"
)

// SessionID names a visitor's session. The zero value means none.
type SessionID [16]byte

// NewSessionID draws an unguessable id.
func NewSessionID() (id SessionID) {
	_, _ = rand.Read(id[:]) // crypto/rand.Read never fails since Go 1.24
	return id
}

func (id SessionID) String() string { return hex.EncodeToString(id[:]) }

// Session binds a visitor to one start of a replica and holds a seat there.
type Session struct {
	ID      SessionID
	Replica *Replica
	Start   string

	last   atomic.Int64 // nanoseconds since epoch
	leases atomic.Int64 // negative once the session is over
}

// over is added to a session's leases when it ends. One word says both, so that no lease is taken on a session that
// ended, and none that is leased is swept.
const over = math.MinInt64

func newSession(id SessionID, r *Replica, start string) *Session {
	s := &Session{ID: id, Replica: r, Start: start}
	s.touch()
	return s
}

func (s *Session) touch() { s.last.Store(int64(time.Since(epoch))) }

func (s *Session) isOver() bool { return s.leases.Load() < 0 }

// take counts one more lease. False if the session is over.
func (s *Session) take() bool {
	for {
		n := s.leases.Load()
		if n < 0 {
			return false
		}
		if s.leases.CompareAndSwap(n, n+1) {
			s.touch()
			return true
		}
	}
}

func (s *Session) give() {
	s.touch()
	s.leases.Add(-1)
}

// end gives the seat back, once. Leases that are held stay held, without a seat.
func (s *Session) end() bool {
	for {
		n := s.leases.Load()
		if n < 0 {
			return false
		}
		if s.leases.CompareAndSwap(n, n+over) {
			s.leave()
			return true
		}
	}
}

// expire ends a session that was silent for longer than idle and that nobody leases.
func (s *Session) expire(now time.Time, idle time.Duration) bool {
	silent := now.Sub(epoch) - time.Duration(s.last.Load())
	if silent <= idle || !s.leases.CompareAndSwap(0, over) {
		return false
	}
	s.leave()
	return true
}

func (s *Session) leave() {
	s.Replica.used() // first: a replica must not look long idle between the two
	s.Replica.sessions.Add(-1)
	s.Replica.seats.Add(-1)
}

// Sessions counts the live ones.
func (a *App) Sessions() int { return int(a.sessions.count.Load()) }

// SessionsOf counts the live sessions of one replica.
func (a *App) SessionsOf(r *Replica) int { return int(r.sessions.Load()) }

// Sweep ends the sessions that were silent for longer than the policy's SessionIdle. Seats that become free wake who
// waits for one.
func (a *App) Sweep(now time.Time) {
	idle := a.Snapshot().Policy.SessionIdle
	if idle <= 0 {
		return
	}
	a.freed(a.sessions.drop(func(s *Session) bool { return s.expire(now, idle) }))
}

// EndSession ends one session at its visitor's or operator's wish.
func (a *App) EndSession(id SessionID) {
	if s := a.sessions.get(id); s != nil && a.sessions.end(s) {
		a.freed(1)
	}
}

// freed tells those who wait for a seat, and the scaler, which may wait for the last session of a draining replica.
func (a *App) freed(seats int) {
	if seats > 0 {
		a.waiting.broadcast()
		a.Nudge()
	}
}

// endSessions ends those of one start: by the time that they are looked for, the replica may have sessions of the next.
func (a *App) endSessions(r *Replica, start string) {
	a.sessions.drop(func(s *Session) bool { return s.Replica == r && s.Start == start && s.end() })
}
