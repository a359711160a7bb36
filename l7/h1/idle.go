package h1

import (
	"slices"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
)

// take returns a kept connection that the app has not closed, or nil. A fiber gets one of its own loop, a goroutine one that
// is on none.
func (t *target) take(f *fiber.Fiber, r *Request) *conn {
	f.Return()
	for {
		c := t.pop(f.Home())
		if c == nil {
			return nil
		}
		if c.strand != nil {
			c.strand.Bind(f)
		}
		if c.usable(r) {
			return c
		}
		c.kill(errStale)
	}
}

func (t *target) pop(home *fiber.Home) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := len(t.idle) - 1; n >= 0; n-- {
		if c := t.idle[n]; c.home() == home {
			t.idle = slices.Delete(t.idle, n, n+1)
			c.reused = true
			t.taken++
			c.trusted = t.taken > trial
			return c
		}
	}
	return nil
}

// keep stores a connection for the next request, or closes it.
func (t *target) keep(c *conn) {
	if !t.push(c) {
		c.discard()
	}
}

func (t *target) push(c *conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	limit := below(below(t.client.idleTimeout(), c.learnt), t.omens.limit)
	if limit <= 0 || c.over || t.ctx.Err() != nil || len(t.idle) >= t.client.maxIdle() {
		return false
	}
	c.kept = time.Now()
	c.until = c.kept.Add(limit)
	t.idle = append(t.idle, c)
	if t.sweep.IsZero() || c.until.Before(t.sweep) {
		t.sweepAt(c.until, limit)
	}
	return true
}

func (t *target) sweepAt(at time.Time, in time.Duration) {
	t.sweep = at
	if t.timer == nil {
		t.timer = time.AfterFunc(in, t.expire)
		return
	}
	t.timer.Reset(in)
}

// expire closes what has reached its idle limit. One timer serves all connections, so that a request costs none.
func (t *target) expire() {
	for _, c := range t.expired(time.Now()) {
		c.discard()
	}
}

func (t *target) expired(now time.Time) (stale []*conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var next time.Time
	t.idle = slices.DeleteFunc(t.idle, func(c *conn) bool {
		if !c.until.After(now) {
			stale = append(stale, c)
			return true
		}
		if next.IsZero() || c.until.Before(next) {
			next = c.until
		}
		return false
	})
	if t.sweep = next; !next.IsZero() {
		t.sweepAt(next, next.Sub(now))
	}
	return stale
}
