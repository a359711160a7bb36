package scaler

import (
	"slices"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// View is all that a plan is made from.
type View struct {
	Snap    *pool.Snapshot
	Waiting int        // visitors who want a replica and have none
	Hosts   []HostView // all configured hosts
}

// HostView is one host as the plan needs it.
type HostView struct {
	Name      string
	Accounted bool   // answered a look since Fairlead's start: what runs there is in the pool
	Answers   bool   // answered the last look
	Identity  string // of the engine that answered it; empty if none did since Fairlead's start
	Weight    int    // 0 means 1
	Rows      int    // of all apps
	Max       int    // 0: no limit
}

// eligible hosts are those where the policy lets replicas run.
func (v View) eligible() []HostView {
	allowed := v.Snap.Policy.Hosts
	if len(allowed) == 0 {
		return v.Hosts
	}
	var hosts []HostView
	for _, h := range v.Hosts {
		if slices.Contains(allowed, h.Name) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// accounted says whether every eligible host has told what runs there. Before that, starting anything may be starting
// it twice.
func (v View) accounted() bool {
	return !slices.ContainsFunc(v.eligible(), func(h HostView) bool { return !h.Accounted })
}

// place chooses the host with the smallest share of its weight in use. placed counts what this plan has put there
// already. Empty if no host has room and answers.
func (v View) place(placed map[string]int) string {
	best, share := "", 0.0
	for _, h := range v.eligible() {
		rows := h.Rows + placed[h.Name]
		if !h.Answers || h.Max > 0 && rows >= h.Max {
			continue
		}
		if s := float64(rows+1) / float64(max(h.Weight, 1)); best == "" || s < share {
			best, share = h.Name, s
		}
	}
	return best
}

// count is what the rows amount to.
type count struct {
	live     int // not draining, not asleep, not a surge
	free     int // seats in rows that serve or will
	starting int
	draining int
	asleep   int
}

func (v View) count(now time.Time) (c count) {
	seats := v.Snap.Policy.Seats
	for _, row := range v.Snap.Rows {
		switch row.State() {
		case pool.Draining:
			c.draining++
			continue
		case pool.Asleep:
			c.asleep++
			continue
		case pool.Starting:
			c.starting++
		}
		if !row.Surge {
			c.live++
		}
		if v.lost(row) {
			continue // its host is silent and something speaks against it: no place for who waits
		}
		if !fresh(row, now) {
			c.free += max(0, seats-row.Seats())
			continue
		}
		c.free += seats
	}
	return c
}

// overfull says whether more rows stand than max allows. A replacement may be one more for as long as what it replaces is
// there.
func (v View) overfull() bool {
	ordinary := v.rows(func(r pool.Row) bool {
		return !r.Surge && !(r.State() == pool.Draining && r.Cause == journal.CauseReplaced)
	})
	return len(ordinary) > v.Snap.Policy.Max
}

// settling is how long those who waited for a replica may take to sit down in it. Until they have, they are counted as
// waiting and as seated, and a plan that believes both starts a replica for nobody.
const settling = 50 * time.Millisecond

// fresh rows have just become ready: their seats are for those who wait.
func fresh(row pool.Row, now time.Time) bool {
	return row.State() == pool.Ready && now.Sub(row.Since()) < settling
}

// settles says whether the plan has to be made again soon, since somebody is sitting down.
func (v View) settles(now time.Time) bool {
	return v.Waiting > 0 && slices.ContainsFunc(v.Snap.Rows, func(row pool.Row) bool { return fresh(row, now) })
}

// lost rows are kept and counted, but a waiting visitor is not told to wait for them: somebody paused them or took them off
// their network, or they have failed their health checks for a while, which may all last, or their whole host is silent.
// One look that was not answered in time is no such silence, and starts nothing (P1).
func (v View) lost(row pool.Row) bool {
	switch row.Suspect() {
	case pool.SuspectPaused, pool.SuspectNoAddress, pool.SuspectHealth:
		return true
	}
	return row.Doubt && !row.Serves() && slices.ContainsFunc(v.Hosts, func(h HostView) bool {
		return h.Name == row.Host && !h.Answers
	})
}
