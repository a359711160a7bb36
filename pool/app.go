package pool

import (
	"slices"
	"sync"
	"sync/atomic"
)

// App owns the rows of one app.
type App struct {
	Name string

	snap     atomic.Pointer[Snapshot]
	turn     atomic.Uint32 // where the next pick begins, so that equals share
	sessions sessions
	waiting  waiting
	work     chan struct{}        // nudges for the scaler; capacity 1
	pool     atomic.Pointer[Pool] // whose addresses are not to meet; nil for an app that stands alone

	mu      sync.Mutex // guards the making of a new snapshot
	version uint64
}

// NewApp makes an app without replicas.
func NewApp(name string, policy Policy) *App {
	a := &App{Name: name, work: make(chan struct{}, 1)}
	a.sessions.init()
	a.waiting.init()
	a.snap.Store(&Snapshot{Policy: policy.valid()})
	return a
}

// Snapshot is the app as it is now.
func (a *App) Snapshot() *Snapshot { return a.snap.Load() }

// Work delivers a nudge when something may be to do for the scaler: somebody waits, or a draining replica is empty.
func (a *App) Work() <-chan struct{} { return a.work }

// Nudge asks the scaler to look at the app. It never blocks.
func (a *App) Nudge() {
	select {
	case a.work <- struct{}{}:
	default:
	}
}

// SetPolicy brings a new policy in, and opens a closed app again. No row changes and no connection is closed. A failure
// of what was made from another spec says nothing any more.
func (a *App) SetPolicy(policy Policy) {
	a.update(func(next *Snapshot) bool {
		if next.Policy.Spec != policy.Spec {
			next.Failure = nil
		}
		next.Policy, next.Closed = policy.valid(), false
		return true
	})
}

// SetFailure records why the app could not start; nil after a success.
func (a *App) SetFailure(f *Failure) {
	a.update(func(next *Snapshot) bool {
		changed := next.Failure != f
		next.Failure = f
		return changed
	})
}

// Close lets nobody in any more. Rows stay until they are removed.
func (a *App) Close() {
	a.update(func(next *Snapshot) bool {
		changed := !next.Closed
		next.Closed = true
		return changed
	})
}

// Reserve adds a row in Starting before any engine is asked, so that two decisions can never share a slot (P2).
// Surge lets a replacement go that far above max. Change sets what is known of it already; it may be nil.
func (a *App) Reserve(id string, surge int, change func(*Row)) (Row, error) {
	var row Row
	var err error
	a.update(func(next *Snapshot) bool {
		switch {
		case next.Closed:
			err = ErrClosed
		case next.index(id) >= 0:
			err = ErrKnown
		case len(next.Rows) >= next.Policy.Max+surge:
			err = ErrAtMax
		default:
			row = a.insert(next, id, change)
		}
		return err == nil
	})
	return row, err
}

// Insist adds a row for a container that runs already, whatever max says: it is counted, and brought under max by
// whoever looks next. False if the replica has a row.
func (a *App) Insist(id string, change func(*Row)) (row Row, ok bool) {
	ok = a.update(func(next *Snapshot) bool {
		if next.index(id) >= 0 {
			return false
		}
		row = a.insert(next, id, change)
		return true
	})
	return row, ok
}

func (a *App) insert(next *Snapshot, id string, change func(*Row)) Row {
	row := Row{Replica: newReplica(id)}
	row.enter(Starting)
	if change != nil {
		change(&row)
	}
	a.version++
	row.Version = a.version
	next.Rows = append(next.Rows, row)
	return row
}

// Settle changes one row, if it still is at that version; version 0 means any. The row as changed is returned, and
// whether it was. change must not block; if it returns false, nothing is changed.
func (a *App) Settle(id string, version uint64, change func(*Row) bool) (settled Row, ok bool) {
	ok = a.update(func(next *Snapshot) bool {
		i := next.at(id, version)
		if i < 0 {
			return false
		}
		row := next.Rows[i]
		if !change(&row) {
			return false
		}
		a.version++
		row.Version = a.version
		next.Rows[i], settled = row, row
		return true
	})
	return settled, ok
}

// Remove is the one way out of the pool: the row goes, its sessions and connections end. False if it was gone.
func (a *App) Remove(id string, version uint64) (removed Row, ok bool) {
	ok = a.update(func(next *Snapshot) bool {
		i := next.at(id, version)
		if i < 0 {
			return false
		}
		removed = next.Rows[i]
		next.Rows = slices.Delete(next.Rows, i, i+1)
		return true
	})
	return removed, ok
}

// update is the critical section: it publishes a changed copy, then lets what ended with the change end. If change
// says that nothing changed, nobody is woken: a scaler whose plan is refused would otherwise nudge itself for ever.
func (a *App) update(change func(next *Snapshot) bool) bool {
	before, after := a.publish(change)
	if before == after {
		return false
	}
	a.finish(before, after)
	if after.serves() {
		a.Unwant()
	}
	a.waiting.broadcast()
	a.Nudge()
	return true
}

// finish ends the connections, sessions and replicas that the change left behind. Each change has its own pair, so what
// goes, goes once.
func (a *App) finish(before, after *Snapshot) {
	for i := range before.Rows {
		old := &before.Rows[i]
		now, there := after.Row(old.ID)
		if old.upstream != nil && old.upstream != now.upstream {
			old.upstream.end()
		}
		if start := old.Start(); start != "" && start != now.Start() {
			a.endSessions(old.Replica, start)
		}
		if !there {
			close(old.gone)
		}
		if p := a.pool.Load(); p != nil && now.upstream != nil && now.upstream != old.upstream {
			p.claim(now)
		}
	}
}

func (a *App) publish(change func(next *Snapshot) bool) (before, after *Snapshot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before = a.snap.Load()
	next := *before
	next.Rows = slices.Clone(before.Rows)
	if !change(&next) {
		return before, before
	}
	a.snap.Store(&next)
	return before, &next
}
