package pool

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// P5, P7: what a change ends, and what it leaves alone.
func TestWhatEndsWithAChange(t *testing.T) {
	cases := []struct {
		name          string
		change        func(*App)
		ended, gone   bool
		sessionsAfter int
	}{
		{"restart", set((*Row).Restarts), true, false, 0},
		{"other start", set(func(r *Row) { r.BecomeReady(upstream("s9")) }), true, false, 0},
		{"asleep", set((*Row).Sleeps), true, false, 0},
		{"removal", func(a *App) { a.Remove("r0", 0) }, true, true, 0},
		{"address moved", set(func(r *Row) { r.Moved(upstream("s0")) }), true, false, 1},
		{"suspect", set(func(r *Row) { r.Suspected("refused") }), false, false, 1},
		{"draining", set(func(r *Row) { r.Drains(SleepRemove, "idle") }), false, false, 1},
		{"doubt", set(func(r *Row) { r.Doubt = true }), false, false, 1},
		{"new policy", func(a *App) { a.SetPolicy(Policy{}) }, false, false, 1},
		{"failure", func(a *App) { a.SetFailure(&Failure{Reason: "crashed"}) }, false, false, 1},
		{"closed", (*App).Close, false, false, 1},
		{"another row removed", func(a *App) { a.Remove("r1", 0) }, false, false, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := appWith(t, 2, Policy{Sticky: true})
			settle(t, a, "r1", func(r *Row) { r.Suspected("not to be picked") })
			lease := served(t, a, Visitor{Open: true})
			c.change(a)
			if isClosed(lease.Upstream.Ended()) != c.ended || lease.Upstream.Alive() == c.ended {
				t.Errorf("upstream ended: %v, want %v", !c.ended, c.ended)
			}
			if isClosed(lease.Replica.Gone()) != c.gone {
				t.Errorf("replica gone: %v, want %v", !c.gone, c.gone)
			}
			if a.Sessions() != c.sessionsAfter || lease.Session.isOver() != (c.sessionsAfter == 0) {
				t.Errorf("%d sessions, want %d", a.Sessions(), c.sessionsAfter)
			}
			wantCounts(t, lease.Replica, 1, c.sessionsAfter)
			lease.Release()
			wantCounts(t, lease.Replica, 0, c.sessionsAfter)
		})
	}
}

func set(change func(*Row)) func(*App) {
	return func(a *App) { a.Settle("r0", 0, func(r *Row) bool { change(r); return true }) }
}

// After a change of address, the session goes on at the new one.
func TestMovedSessionGoesOnAtTheNewAddress(t *testing.T) {
	a := appWith(t, 1, Policy{Sticky: true})
	first := served(t, a, Visitor{Open: true})
	moved := upstream("s0")
	settle(t, a, "r0", func(r *Row) { r.Moved(moved) })
	if lease := served(t, a, back(first)); lease.Upstream != moved || lease.Session != first.Session {
		t.Error("the visitor is not served at the new address in his session")
	}
}

// Ended and Gone close exactly once (a second close panics), whoever restarts, moves and removes at the same time.
func TestEndsCloseOnce(t *testing.T) {
	a := NewApp("app", Policy{Max: 4})
	var mu sync.Mutex
	var ups []*Upstream
	var replicas []*Replica
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 300 {
				id, up := fmt.Sprint(i%4), upstream(fmt.Sprint(g, i))
				row, _ := a.Reserve(id, 0, nil)
				_, ok := a.Settle(id, 0, func(r *Row) bool { r.BecomeReady(up); return true })
				mu.Lock()
				if ok {
					ups = append(ups, up)
				}
				if row.Replica != nil {
					replicas = append(replicas, row.Replica)
				}
				mu.Unlock()
				switch g % 4 {
				case 0:
					a.Remove(id, 0)
				case 1:
					a.Settle(id, 0, func(r *Row) bool { r.Restarts(); return true })
				case 2:
					a.Settle(id, 0, func(r *Row) bool { r.Moved(upstream(r.Start())); return r.upstream != nil })
				}
			}
		})
	}
	all.Wait()
	for i := range 4 {
		a.Remove(fmt.Sprint(i), 0)
	}
	for _, up := range ups {
		if up.Alive() {
			t.Error("an upstream outlived its row")
		}
	}
	for _, r := range replicas {
		if !isClosed(r.Gone()) {
			t.Error("a replica is not gone that has no row")
		}
	}
}

// A session that opens while its start ends does not outlive it: its seat would be taken for ever by nobody.
func TestSessionOpensWhileItsStartEnds(t *testing.T) {
	for i := range 3000 {
		a := appWith(t, 1, Policy{Seats: 5, Sticky: true})
		replica := row(t, a, "r0").Replica
		cookie := Visitor{Session: NewSessionID(), Replica: "r0", Start: "s0", Open: true}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { release1(a.Admit(Visitor{Open: true})) })
			all.Go(func() { release1(a.Admit(cookie)) })
		}
		if i%2 == 0 {
			all.Go(func() { a.Settle("r0", 0, func(r *Row) bool { r.Restarts(); return true }) })
		} else {
			all.Go(func() { a.Remove("r0", 0) })
		}
		all.Wait()
		wantCounts(t, replica, 0, 0)
		if a.Sessions() != 0 {
			t.Fatalf("%d sessions of an ended start", a.Sessions())
		}
	}
}

func release1(admission Admission) {
	if admission.Outcome == Served {
		admission.Lease.Release()
	}
}

// A new start's sessions are not taken for the old one's, however late those are ended.
func TestOldStartsEndSparesTheNew(t *testing.T) {
	a := appWith(t, 1, Policy{Sticky: true})
	before, after := a.publish(func(next *Snapshot) bool { next.Rows[0].Restarts(); return true })
	settle(t, a, "r0", func(r *Row) { r.BecomeReady(upstream("s9")) })
	lease := served(t, a, Visitor{Open: true})
	a.finish(before, after)
	if lease.Session.isOver() {
		t.Error("the end of the old start ended a session of the new one")
	}
}

// case B031: a draining replica that its last visitor leaves is news for the scaler.
func TestEmptyDrainingReplicaIsNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := appWith(t, 1, Policy{Sticky: true, SessionIdle: time.Minute})
		lease, alone := served(t, a, Visitor{Open: true}), served(t, a, Visitor{})
		settle(t, a, "r0", func(r *Row) { r.Drains(SleepRemove, "idle") })
		<-a.Work()
		alone.Release()
		if len(a.Work()) > 0 {
			t.Error("nudged while a lease is held")
		}
		lease.Release()
		if len(a.Work()) == 0 {
			t.Fatal("the end of the last lease is not told")
		}
		<-a.Work()
		a.EndSession(lease.Session.ID)
		if len(a.Work()) == 0 {
			t.Error("the end of the last session is not told")
		}
	})
}
