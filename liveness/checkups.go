package liveness

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// longestSpell bounds the pause between two replacements of one app for its health.
const longestSpell = 10 * time.Minute

// checkups remembers when each replica's health is checked next, and how often it failed.
type checkups struct {
	mu     sync.Mutex // guards the fields below
	of     map[*pool.Replica]*checkup
	spells map[*pool.App]*spell
	flying int
}

type checkup struct {
	up       *pool.Upstream // another start, or another address, begins anew
	next     time.Time
	failures int // in a row
	flying   bool
	asked    bool // in this round
}

// spell is the time in which an app is not replaced again.
type spell struct {
	until time.Time
	pause time.Duration
}

func (c *checkups) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.of {
		one.asked = false
	}
}

// end forgets replicas that were not asked about, and spells that have been over for as long as they lasted.
func (c *checkups) end(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for app, s := range c.spells {
		if now.Sub(s.until) > s.pause {
			delete(c.spells, app)
		}
	}
	for replica, one := range c.of {
		if !one.asked && !one.flying {
			delete(c.of, replica)
		}
	}
}

// due says whether it is time for a check, and counts it as begun. First checks are spread over the interval, those that
// follow jitter: replicas that came together are not asked together for ever.
func (c *checkups) due(row pool.Row, health pool.Health, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of[row.Replica]
	if one == nil || one.up != row.Upstream() && !one.flying {
		if c.of == nil {
			c.of = map[*pool.Replica]*checkup{}
		}
		one = &checkup{up: row.Upstream(), next: now.Add(rand.N(health.Interval))}
		c.of[row.Replica] = one
	}
	one.asked = true
	if one.flying || now.Before(one.next) || c.flying >= checksAtOnce {
		return false
	}
	one.flying = true
	c.flying++
	one.next = now.Add(health.Interval - health.Interval/10 + rand.N(health.Interval/5+1))
	return true
}

// note ends a check, and returns how many have failed in a row.
func (c *checkups) note(row pool.Row, err error) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
	one := c.of[row.Replica]
	one.flying = false
	if err == nil {
		one.failures = 0
	} else {
		one.failures++
	}
	return one.failures
}

// mayReplace grants one replacement, and doubles the time until the next.
func (c *checkups) mayReplace(app *pool.App, health pool.Health, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spells == nil {
		c.spells = map[*pool.App]*spell{}
	}
	s := c.spells[app]
	if s == nil {
		s = &spell{}
		c.spells[app] = s
	}
	if now.Before(s.until) {
		return false
	}
	s.pause = min(max(time.Duration(health.Retries)*health.Interval, 2*s.pause), max(longestSpell, health.Interval))
	s.until = now.Add(s.pause)
	return true
}
