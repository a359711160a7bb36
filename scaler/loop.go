package scaler

import (
	"context"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

const (
	// tick bounds how late the loop is for what only the clock brings: idle, drain, back-off, silent sessions.
	tick = time.Second
	// stopped is a step that came so late that we ourselves were stopped meanwhile, or the machine.
	stopped = 5 * tick
)

// loop is one app's. What it began is its own: an app that leaves waits for no other's operations.
type loop struct {
	*Scaler
	app  *pool.App
	acts sync.WaitGroup

	ticked bool      // the clock has moved since the last step
	last   time.Time // step
	awake  time.Time // since when we run again, after having been stopped
}

// step plans once and begins what the plan says. After having been stopped it lets pass one tick first: the visitors and
// the news that queued up meanwhile must come in before anybody is called idle (case B206).
func (l *loop) step(ctx context.Context) {
	now := time.Now()
	if !l.last.IsZero() && now.Sub(l.last) > stopped {
		l.awake = now
	}
	l.last = now
	if now.Sub(l.awake) < tick {
		return
	}
	if l.ticked {
		l.ticked = false
		l.app.Sweep(now)
	}
	view := View{Snap: l.app.Snapshot(), Waiting: l.app.Waiting(now), Hosts: l.Hosts()}
	for _, action := range Plan(view, now) {
		l.carryOut(ctx, action)
	}
	if view.settles(now) {
		time.AfterFunc(settling, l.app.Nudge)
	}
}

// carryOut settles what an action claims, then lets its slow part run on its own.
func (l *loop) carryOut(ctx context.Context, a Action) {
	switch a.Verb {
	case Spawn:
		l.spawn(ctx, a)
	case Wake:
		policy := l.app.Snapshot().Policy
		wakes := func(r *pool.Row) bool { wakes(r, policy); return true }
		if row, ok := l.app.Settle(a.Replica, a.Version, wakes); ok {
			l.acts.Go(func() { l.wake(ctx, l.app, row) })
		}
	case Drain:
		l.drain(a)
	case Swap:
		// The old one first: were it to have moved on, two ordinary rows would stand above max, and the wrong one might
		// be the surplus.
		if a.Replica == "" || l.drain(a) {
			l.app.Settle(a.New, 0, func(r *pool.Row) bool { r.Surge = false; return true })
		}
	case Finish:
		if row, ok := l.app.Settle(a.Replica, a.Version, acts); ok {
			l.acts.Go(func() { l.finish(ctx, l.app, row) })
		}
	}
}

func (l *loop) drain(a Action) bool {
	_, ok := l.app.Settle(a.Replica, a.Version, func(r *pool.Row) bool { r.Drains(a.Then, a.Cause); return true })
	return ok
}

// wakes begins a start whose failure puts a container with data back to sleep.
func wakes(r *pool.Row, policy *pool.Policy) {
	r.Wakes()
	r.Acting, r.Then = true, pool.SleepRemove
	if r.Precious() && policy.SleepOf(*r) != pool.SleepRemove {
		r.Then = pool.SleepStop
	}
}

func acts(r *pool.Row) bool {
	r.Acting = true
	return true
}

func (l *loop) spawn(ctx context.Context, a Action) {
	surge := 0
	if a.Surge {
		surge = 1
	}
	policy := l.app.Snapshot().Policy
	unit := policy.Adopt.Unit
	row, err := l.app.Reserve(NewReplicaID(), surge, func(r *pool.Row) {
		r.Host, r.Acting, r.Surge = a.Host, true, a.Surge
		if unit != "" {
			r.Adopted, r.Unit, r.Spec, r.Then = true, unit, policy.Spec, pool.SleepStop
		}
	})
	if err != nil {
		return // somebody else took the slot; the next plan sees it
	}
	if l.overfills(a.Host) {
		l.app.Remove(row.ID, 0)
		return // the removal has the app plan anew, with all of them in sight
	}
	if unit != "" {
		l.acts.Go(func() { l.summon(ctx, l.app, row) })
		return
	}
	l.acts.Go(func() { l.start(ctx, l.app, row) })
}

// overfills says whether more rows stand on a host than it may have. Every app plans alone, and of two that reserve the
// last place at the same moment at least the later one sees both: the row is there before this is asked.
func (l *loop) overfills(host string) bool {
	for _, view := range l.Hosts() {
		if view.Name == host {
			return view.Max > 0 && view.Rows > view.Max
		}
	}
	return false
}
