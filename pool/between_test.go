package pool

import "testing"

// What the hammering tests seldom hit is arranged here: a change between two steps of one admission.

// The row begins to drain, dies or moves between the snapshot and the lease: the lease is undone.
func TestRowChangesBeforeTheLease(t *testing.T) {
	changes := map[string]struct {
		change             func(*Row)
		alone, withSession bool
	}{
		"nothing":  {func(r *Row) { r.Doubt = true }, true, true},
		"drains":   {func(r *Row) { r.Drains(SleepRemove, "idle") }, false, true},
		"suspect":  {func(r *Row) { r.Suspected("refused") }, false, false},
		"restarts": {(*Row).Restarts, false, false},
		"moves":    {func(r *Row) { r.Moved(upstream("s0")) }, false, false},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			a := appWith(t, 1, Policy{Sticky: true})
			snap := a.Snapshot()
			alone, fresh := a.pick(snap, Visitor{}), a.pick(snap, Visitor{Open: true})
			settle(t, a, "r0", c.change)
			if a.stillServes(snap, alone) != c.alone || a.stillServes(snap, fresh) != c.withSession {
				t.Errorf("lease alone holds: %v, with a session: %v", !c.alone, !c.withSession)
			}
			a.undo(alone, true)
			a.undo(fresh, true)
			wantCounts(t, alone.Replica, 0, 0)
			wantSessions(t, a, 0)
		})
	}
}

// The start ends between the snapshot and the session that takes up a cookie: the session goes with the lease. If the
// replica is suspect only, the session stays.
func TestStartEndsBeforeTheSession(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*Row)
		sessions int
	}{
		"restarts": {(*Row).Restarts, 0},
		"suspect":  {func(r *Row) { r.Suspected("refused") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := appWith(t, 1, Policy{Sticky: true})
			snap := a.Snapshot()
			settle(t, a, "r0", c.change)
			lease, _ := a.rebind(snap, Visitor{Session: NewSessionID(), Replica: "r0", Start: "s0"})
			a.undo(lease, false)
			wantCounts(t, lease.Replica, 0, c.sessions)
			wantSessions(t, a, c.sessions)
		})
	}
}

// The session ends between the look-up and the lease: no lease is taken on it.
func TestSessionEndsBeforeTheLease(t *testing.T) {
	a := appWith(t, 1, Policy{Sticky: true})
	first := served(t, a, Visitor{Open: true})
	snap := a.Snapshot()
	a.EndSession(first.Session.ID)
	if lease, _ := a.resume(snap, first.Session); lease.Valid() {
		t.Error("a lease was given on a session that had ended")
	}
}

// The session is of another start, or of another replica of the same id and start, and not ended yet.
func TestSessionOfAnotherStartIsNotResumed(t *testing.T) {
	for name, change := range map[string]func(*Snapshot){
		"start":   func(next *Snapshot) { next.Rows[0].BecomeReady(upstream("s9")) },
		"replica": func(next *Snapshot) { next.Rows[0].Replica = newReplica("r0") },
	} {
		t.Run(name, func(t *testing.T) {
			a := appWith(t, 1, Policy{Sticky: true})
			first := served(t, a, Visitor{Open: true})
			after := *a.Snapshot()
			after.Rows = append([]Row(nil), after.Rows...)
			change(&after)
			if lease, bound := a.resume(&after, first.Session); lease.Valid() || bound {
				t.Error("the session was resumed")
			}
		})
	}
}

// Who forgets a session leaves the one that has taken its id since.
func TestForgettingSparesTheSuccessor(t *testing.T) {
	a := appWith(t, 1, Policy{Sticky: true})
	id, r := NewSessionID(), row(t, a, "r0").Replica
	open := func() *Session { r.takeSeat(0); return newSession(id, r, "s0") }
	first := a.sessions.join(id, open)
	a.sessions.drop(func(s *Session) bool {
		ended := s.end()
		a.sessions.join(id, open)
		return ended
	})
	if now := a.sessions.get(id); now == nil || now == first {
		t.Errorf("the session under the id is %v", now)
	}
	wantCounts(t, r, 0, 1)
	wantSessions(t, a, 1)
}
