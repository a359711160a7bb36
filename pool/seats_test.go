package pool

import (
	"sync"
	"sync/atomic"
	"testing"
)

// case B052: ten visitors at once for three seats: three are served, seven are told that it is full.
func TestNeverASeatTooMany(t *testing.T) {
	kinds := map[string]Policy{
		"seats of leases":   {Max: 3, Seats: 1},
		"seats of sessions": {Max: 3, Seats: 1, Sticky: true},
	}
	for name, policy := range kinds {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				tenForThreeSeats(t, appWith(t, 3, policy))
			}
		})
	}
}

func tenForThreeSeats(t *testing.T, a *App) {
	var outcomes [4]atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { outcomes[a.Admit(Visitor{Open: true}).Outcome].Add(1) })
	}
	all.Wait()
	if outcomes[Served].Load() != 3 || outcomes[Full].Load() != 7 {
		t.Fatalf("%d served, %d full, want 3 and 7", outcomes[Served].Load(), outcomes[Full].Load())
	}
	for _, row := range a.Snapshot().Rows {
		wantCounts(t, row.Replica, 1, 1)
	}
}

// case B052: however often four reach for the only seat, one has it at a time.
func TestOnlySeatIsTakenOnce(t *testing.T) {
	r := newReplica("one")
	var seated atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500_000 {
				if !r.takeSeat(1) {
					continue
				}
				if seated.Add(1) > 1 {
					t.Error("two have the only seat")
				}
				seated.Add(-1)
				r.seats.Add(-1)
			}
		})
	}
	all.Wait()
}

// case B052: while replicas are still to come, nobody is turned away.
func TestWaitsWhileThereIsRoom(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 2, Seats: 1})
	served(t, a, Visitor{})
	refused(t, a, Visitor{}, Wait)
	a.Reserve("second", 0, nil)
	refused(t, a, Visitor{}, Wait)
	settle(t, a, "second", func(r *Row) { r.BecomeReady(upstream("s")) })
	served(t, a, Visitor{})
	refused(t, a, Visitor{}, Full)
}

// case B055: who holds the only seat passes, the other sees full, and is let in when the seat frees.
func TestHolderOfTheOnlySeatPasses(t *testing.T) {
	a := appWith(t, 1, Policy{Max: 1, Seats: 1, Sticky: true})
	holder := served(t, a, Visitor{Open: true})
	redirected := served(t, a, back(holder))
	refused(t, a, Visitor{Open: true}, Full)
	refused(t, a, Visitor{}, Full)
	holder.Release()
	redirected.Release()
	refused(t, a, Visitor{Open: true}, Full)

	a.EndSession(holder.Session.ID)
	other := served(t, a, Visitor{Open: true})
	wantCounts(t, other.Replica, 1, 1)
	if other.Session.ID == holder.Session.ID {
		t.Error("the other got the holder's session")
	}
}

// case B055: full is full, even while another replica takes hours to drain; starting is what a replacement is.
func TestDrainingIsNotStarting(t *testing.T) {
	a := appWith(t, 2, Policy{Max: 2, Seats: 1})
	settle(t, a, "r1", func(r *Row) { r.Drains(SleepRemove, "restart") })
	served(t, a, Visitor{})
	refused(t, a, Visitor{}, Full)
	settle(t, a, "r0", func(r *Row) { r.Drains(SleepRemove, "restart") })
	refused(t, a, Visitor{}, Wait)
}

// case B076: the end of one visitor's session does not touch the other's on the same replica.
func TestSessionsOnOneReplicaEndAlone(t *testing.T) {
	a := appWith(t, 1, Policy{Seats: 2, Sticky: true})
	one, two := served(t, a, Visitor{Open: true}), served(t, a, Visitor{Open: true})
	if got := a.SessionsOf(one.Replica); got != 2 {
		t.Errorf("%d sessions on the replica, want 2", got)
	}
	one.Release()
	a.EndSession(one.Session.ID)
	a.EndSession(one.Session.ID)
	if !two.Upstream.Alive() || isClosed(two.Replica.Gone()) {
		t.Error("the other's connection was ended")
	}
	wantCounts(t, two.Replica, 1, 1)
	if got := a.SessionsOf(two.Replica); got != 1 || a.Sessions() != 1 {
		t.Errorf("%d sessions on the replica, %d in the app, want 1", got, a.Sessions())
	}
	two.Release()
	if !two.Replica.InUse() {
		t.Error("a replica with a live session counts as unused")
	}
}

// A policy that turns sticky between a request's two steps must not let a session give back a seat that it never took.
func TestStickyTurnedOnUnderTraffic(t *testing.T) {
	a := appWith(t, 1, Policy{})
	var stop atomic.Bool
	var toggling sync.WaitGroup
	toggling.Go(func() {
		for i := 0; !stop.Load(); i++ {
			a.SetPolicy(Policy{Sticky: i%2 == 0})
		}
	})
	for range 3000 {
		lease := served(t, a, Visitor{Open: true})
		lease.Release()
		if lease.Session != nil {
			a.EndSession(lease.Session.ID)
		}
	}
	stop.Store(true)
	toggling.Wait()
	wantCounts(t, row(t, a, "r0").Replica, 0, 0)
}
