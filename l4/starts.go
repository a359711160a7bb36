package l4

import (
	"context"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// starts keeps what is known of each upstream that traffic went to, until it ends.
type starts struct {
	over context.Context // of the front's service

	mu    sync.Mutex // guards known and what every start has below ended
	known map[*pool.Upstream]*start
}

// start is one run of a replica's container at one address.
type start struct {
	// ended is over when the upstream is: every connection to it must end with it (P5).
	ended context.Context
	quiet time.Time // until then, what proves nothing is not reported
	open  int       // connections behind a published port
	deaf  time.Time // until then, the end of all of them is not reported
	pause time.Duration
}

// quietFor is how long an upstream is trusted after a look has found it alive against the evidence: an app that closes
// connections without a word, as it may, would otherwise be out of the pick as often as somebody connects.
const quietFor = 10 * time.Second

// of returns what is known of an upstream.
func (s *starts) of(up *pool.Upstream) *start {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[up]; known != nil {
		return known
	}
	if s.known == nil {
		s.known = map[*pool.Upstream]*start{}
	}
	ended, end := context.WithCancelCause(s.over)
	made := &start{ended: ended}
	s.known[up] = made
	go s.follow(up, end)
	return made
}

// follow is the one goroutine that waits for the upstream's end, however many connections it has.
func (s *starts) follow(up *pool.Upstream, end context.CancelCauseFunc) {
	select {
	case <-up.Ended():
	case <-s.over.Done():
	}
	end(errEnded)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, up)
}

// mayReport says whether evidence against the upstream that is no proof should be told, and keeps the next quiet.
func (s *starts) mayReport(up *pool.Upstream) bool {
	known := s.of(up)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Before(known.quiet) {
		return false
	}
	known.quiet = now.Add(quietFor)
	return true
}

// longestDeaf bounds how long an app that has a habit of ending its connections is believed.
const longestDeaf = time.Hour

// joined counts a connection in.
func (s *starts) joined(up *pool.Upstream) {
	known := s.of(up)
	s.mu.Lock()
	defer s.mu.Unlock()
	known.open++
}

// parted counts a connection out, and says whether the app has ended the last one and seems to be dead. One that was
// believed dead and was not is believed for a while, each time for longer.
func (s *starts) parted(up *pool.Upstream, byApp bool) (lost bool) {
	known := s.of(up)
	s.mu.Lock()
	defer s.mu.Unlock()
	known.open--
	now := time.Now()
	if !byApp || known.open > 0 || now.Before(known.deaf) {
		return false
	}
	known.pause = min(max(quietFor, 2*known.pause), longestDeaf)
	known.deaf = now.Add(known.pause)
	return true
}
