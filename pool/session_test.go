package pool

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var sticky = Policy{Seats: 10, Sticky: true, SessionIdle: time.Minute}

// stickyApp has n ready replicas and is made in the bubble of the test that calls it.
func stickyApp(t testing.TB, n int) *App { return appWith(t, n, sticky) }

func wantSessions(t testing.TB, a *App, want int) {
	t.Helper()
	of, stored := 0, 0
	for _, row := range a.Snapshot().Rows {
		of += a.SessionsOf(row.Replica)
	}
	for i := range a.sessions.shard {
		stored += len(*a.sessions.shard[i].m.Load())
	}
	if a.Sessions() != want || of != want || stored != want {
		t.Errorf("%d sessions, %d on replicas, %d stored, want %d", a.Sessions(), of, stored, want)
	}
}

func TestSessionKeepsItsReplica(t *testing.T) {
	a := stickyApp(t, 3)
	first := served(t, a, Visitor{Open: true})
	for range 100 {
		lease := served(t, a, back(first))
		if lease.Replica != first.Replica || lease.Session != first.Session {
			t.Fatal("the visitor was moved")
		}
		lease.Release()
	}
	wantCounts(t, first.Replica, 1, 1)
	wantSessions(t, a, 1)
}

// Requests that open no session hold a lease alone, and no seat that outlives them.
func TestOnlyNavigationsOpenSessions(t *testing.T) {
	a := stickyApp(t, 1)
	lease := served(t, a, Visitor{})
	wantCounts(t, lease.Replica, 1, 1)
	lease.Release()
	wantCounts(t, lease.Replica, 0, 0)
	wantSessions(t, a, 0)
}

func TestSilentSessionIsSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := stickyApp(t, 1)
		lease := served(t, a, Visitor{Open: true})
		time.Sleep(time.Hour)
		a.Sweep(time.Now())
		wantSessions(t, a, 1) // a lease keeps it alive, however silent
		lease.Release()
		time.Sleep(time.Minute)
		a.Sweep(time.Now())
		wantSessions(t, a, 1)
		time.Sleep(time.Nanosecond)
		a.Sweep(time.Now())
		a.Sweep(time.Now())
		wantSessions(t, a, 0)
		wantCounts(t, lease.Replica, 0, 0)
	})
}

// SessionIdle 0 means that silence ends no session.
func TestSweepWithoutSessionIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := appWith(t, 1, Policy{Sticky: true})
		served(t, a, Visitor{Open: true}).Release()
		time.Sleep(time.Hour)
		a.Sweep(time.Now())
		wantSessions(t, a, 1)
	})
}

// A session ends exactly once, whoever ends it, and its leases end after it without harm.
func TestSessionEndsExactlyOnce(t *testing.T) {
	for range 200 {
		a := stickyApp(t, 1)
		lease := served(t, a, Visitor{Open: true})
		served(t, a, back(lease)).Release()
		var all sync.WaitGroup
		all.Go(func() { a.EndSession(lease.Session.ID) })
		all.Go(func() { a.Sweep(time.Now().Add(time.Hour)) })
		all.Go(func() { a.Settle("r0", 0, func(r *Row) bool { r.Restarts(); return true }) })
		all.Go(func() { a.Remove("r0", 0) })
		all.Go(lease.Release)
		all.Wait()
		wantCounts(t, lease.Replica, 0, 0)
		if n := lease.Replica.sessions.Load(); n != 0 || a.Sessions() != 0 {
			t.Fatalf("%d sessions on the replica, %d in the app, want none", n, a.Sessions())
		}
	}
}

// A sweep never ends a session that a request holds at that moment.
func TestSweepAgainstLease(t *testing.T) {
	for range 2000 {
		a := stickyApp(t, 1)
		first := served(t, a, Visitor{Open: true})
		first.Release()
		var all sync.WaitGroup
		all.Go(func() { a.Sweep(time.Now().Add(time.Hour)) })
		lease := served(t, a, back(first))
		all.Wait()
		if lease.Session == nil || lease.Session.isOver() {
			t.Fatal("a lease was given on a session that had ended")
		}
		wantCounts(t, lease.Replica, 1, 1)
		wantSessions(t, a, 1)
	}
}

// case B161: the replica of a session was removed: the visitor gets another at once, and a new session.
func TestRemovedReplicaMeansANewPick(t *testing.T) {
	a := stickyApp(t, 2)
	first := served(t, a, Visitor{Open: true})
	a.Remove(first.Replica.ID, 0)
	lease := served(t, a, back(first))
	if lease.Replica == first.Replica || lease.Session == first.Session || lease.Session.ID == first.Session.ID {
		t.Error("the visitor was bound to what is gone")
	}
	first.Release()
	wantCounts(t, first.Replica, 0, 0)
	wantSessions(t, a, 1)
}

// The replica's id stands again, for another container: what hung on the old one does not come over.
func TestReusedReplicaIDIsAnotherReplica(t *testing.T) {
	a := stickyApp(t, 1)
	first := served(t, a, Visitor{Open: true})
	a.Remove("r0", 0)
	ready(t, a, "r0", "s9")
	now := row(t, a, "r0").Replica
	lease := served(t, a, back(first))
	if lease.Session.ID == first.Session.ID {
		t.Error("an old session is bound to the new container")
	}
	first.Release()
	wantCounts(t, now, 1, 1)
	wantCounts(t, first.Replica, 0, 0)
}

// Fairlead was restarted, the container was not: the cookie's visitor takes his seat again.
func TestUnknownSessionTakesItsSeatAgain(t *testing.T) {
	cookie := Visitor{Session: NewSessionID(), Replica: "r1", Start: "s1", Open: true}
	a := stickyApp(t, 3)
	for range 3 {
		lease := served(t, a, cookie)
		if lease.Replica.ID != "r1" || lease.Session.ID != cookie.Session {
			t.Fatalf("bound to %s, session %v", lease.Replica.ID, lease.Session.ID)
		}
	}
	wantCounts(t, row(t, a, "r1").Replica, 3, 1)
	wantSessions(t, a, 1)
}

// case B161: a cookie of another start, or of a replica that nobody knows, means a new pick and a new session, never an
// error.
func TestStaleCookieMeansANewPick(t *testing.T) {
	for name, cookie := range map[string]Visitor{
		"other start":     {Replica: "r0", Start: "before"},
		"unknown replica": {Replica: "gone", Start: "s0"},
		"no start":        {Replica: "r0"},
	} {
		t.Run(name, func(t *testing.T) {
			a := stickyApp(t, 1)
			cookie.Session, cookie.Open = NewSessionID(), true
			if lease := served(t, a, cookie); lease.Session.ID == cookie.Session {
				t.Error("the old session goes on")
			}
			wantSessions(t, a, 1)
		})
	}
}

// case B052: who comes back with a cookie after Fairlead's restart gets no seat that is taken by now.
func TestUnknownSessionTakesNoTakenSeat(t *testing.T) {
	a := appWith(t, 2, Policy{Seats: 1, Sticky: true})
	for range 2 {
		served(t, a, Visitor{Open: true})
	}
	refused(t, a, Visitor{Session: NewSessionID(), Replica: "r1", Start: "s1", Open: true}, Full)
	wantSessions(t, a, 2)
}

// Requests of one visitor that come at once after Fairlead's restart share one session and one seat, even the last.
func TestOneVisitorRebindsOnce(t *testing.T) {
	for range 500 {
		a := appWith(t, 1, Policy{Max: 1, Seats: 1, Sticky: true, SessionIdle: time.Minute})
		cookie := Visitor{Session: NewSessionID(), Replica: "r0", Start: "s0", Open: true}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if admission := a.Admit(cookie); admission.Outcome != Served {
					t.Errorf("one of his requests is told %q", admission.Outcome)
				}
			})
		}
		all.Wait()
		wantCounts(t, row(t, a, "r0").Replica, 4, 1)
		wantSessions(t, a, 1)
	}
}

// A visitor who comes back while his session is being swept leaves neither a seat taken by nobody nor one taken twice.
func TestRebindAgainstSweep(t *testing.T) {
	for range 1000 {
		a := stickyApp(t, 1)
		first := served(t, a, Visitor{Open: true})
		first.Release()
		var all sync.WaitGroup
		all.Go(func() { a.EndSession(first.Session.ID) })
		all.Go(func() { a.Sweep(time.Now().Add(time.Hour)) })
		for range 2 {
			all.Go(func() { served(t, a, back(first)).Release() })
		}
		all.Wait()
		r := row(t, a, "r0").Replica
		wantCounts(t, r, 0, a.Sessions())
		wantSessions(t, a, a.Sessions())
		a.Sweep(time.Now().Add(time.Hour))
		wantCounts(t, r, 0, 0)
		wantSessions(t, a, 0)
	}
}

// Just after Fairlead's restart the visitor's replica is being adopted: he waits for it instead of losing his session.
func TestVisitorWaitsForAdoption(t *testing.T) {
	a := stickyApp(t, 1)
	a.SetPolicy(Policy{Max: 2, Seats: 10, Sticky: true})
	cookie := Visitor{Session: NewSessionID(), Replica: "mine", Start: "s", Open: true}
	a.Reserve("mine", 0, func(r *Row) { r.Container = "c" })
	refused(t, a, cookie, Wait)
	settle(t, a, "mine", func(r *Row) { r.BecomeReady(upstream("s")) })
	settle(t, a, "mine", func(r *Row) { r.Suspected("refused") })
	refused(t, a, cookie, Wait)
	settle(t, a, "mine", func(r *Row) { r.Cleared() })
	if lease := served(t, a, cookie); lease.Replica.ID != "mine" || lease.Session.ID != cookie.Session {
		t.Errorf("bound to %s", lease.Replica.ID)
	}
	// A replica that slept starts anew: nothing of the visitor's is left there to wait for.
	settle(t, a, "mine", func(r *Row) { r.Sleeps() })
	settle(t, a, "mine", func(r *Row) { r.Wakes() })
	served(t, a, cookie)
	a.Remove("mine", 0)
	a.Reserve("mine", 0, func(r *Row) { r.Sleeps(); r.Wakes() }) // found stopped when Fairlead was restarted
	served(t, a, cookie)
}

// A suspect replica keeps its sessions: they wait, and then are served by the same one.
func TestSuspectKeepsItsSessions(t *testing.T) {
	a := stickyApp(t, 2)
	first := served(t, a, Visitor{Open: true})
	id := first.Replica.ID
	settle(t, a, id, func(r *Row) { r.Suspected("all connections ended") })
	refused(t, a, back(first), Wait)
	if !first.Upstream.Alive() {
		t.Error("suspicion alone ended the connections")
	}
	if other := served(t, a, Visitor{Open: true}); other.Replica == first.Replica {
		t.Error("a suspect was picked")
	}
	settle(t, a, id, func(r *Row) { r.Cleared() })
	if lease := served(t, a, back(first)); lease.Session != first.Session {
		t.Error("the session was not kept")
	}
}

// A draining replica serves the sessions that it has, and no others; as a suspect it serves nobody.
func TestDrainingServesItsSessions(t *testing.T) {
	a := stickyApp(t, 1)
	first := served(t, a, Visitor{Open: true})
	settle(t, a, "r0", func(r *Row) { r.Drains(SleepRemove, "restart") })
	served(t, a, back(first)).Release()
	refused(t, a, Visitor{Open: true}, Wait)
	refused(t, a, Visitor{Session: NewSessionID(), Replica: "r0", Start: "s0"}, Wait)
	settle(t, a, "r0", func(r *Row) { r.Suspected("refused") })
	refused(t, a, back(first), Wait)
	wantSessions(t, a, 1)
}
