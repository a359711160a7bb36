package pool

import (
	"sync"
	"testing"
)

const picks = 10_000

// case B169: equal replicas get equal shares, one after another and at once.
func TestPicksAreShared(t *testing.T) {
	t.Run("sequential", func(t *testing.T) {
		a := appWith(t, 3, Policy{})
		got := map[string]int{}
		for range picks {
			lease := served(t, a, Visitor{})
			got[lease.Replica.ID]++
			lease.Release()
		}
		wantShares(t, got, 3)
	})
	t.Run("at once", func(t *testing.T) {
		a := appWith(t, 3, Policy{})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for range picks / 20 {
					served(t, a, Visitor{}) // held, so that who is scheduled when does not matter
				}
			})
		}
		all.Wait()
		got := map[string]int{}
		for _, row := range a.Snapshot().Rows {
			got[row.ID] = row.Leases()
		}
		wantShares(t, got, 3)
	})
}

// case B169: the share of a row out of routing is not its neighbour's.
func TestPicksAreSharedAroundARowOutOfRouting(t *testing.T) {
	outs := map[string]func(*Row){
		"suspect":  func(r *Row) { r.Suspected("refused") },
		"draining": func(r *Row) { r.Drains(SleepRemove, "idle") },
		"doubt":    func(r *Row) { r.Doubt = true },
	}
	for name, out := range outs {
		t.Run(name, func(t *testing.T) {
			a := appWith(t, 4, Policy{})
			settle(t, a, "r1", out)
			got := map[string]int{}
			for range picks {
				lease := served(t, a, Visitor{})
				got[lease.Replica.ID]++
				lease.Release()
			}
			wantShares(t, got, 3)
			if got["r1"] > 0 {
				t.Errorf("the row out of routing was picked %d times", got["r1"])
			}
		})
	}
}

func wantShares(t *testing.T, got map[string]int, among int) {
	t.Helper()
	if len(got) != among {
		t.Errorf("picked %v, want %d replicas", got, among)
	}
	for id, n := range got {
		if share := 100 * float64(n) / picks; share < 100/float64(among)-3 || share > 100/float64(among)+3 {
			t.Errorf("%s got %.1f %%", id, share)
		}
	}
}

// case B169: a slow replica, which holds its requests for longer, gets fewer.
func TestSlowReplicaGetsLess(t *testing.T) {
	a := appWith(t, 3, Policy{})
	got := map[string]int{}
	var slow, fast []Lease
	for range picks {
		lease := served(t, a, Visitor{})
		got[lease.Replica.ID]++
		if lease.Replica.ID == "r0" {
			slow = release(append(slow, lease), 20)
		} else {
			fast = release(append(fast, lease), 8)
		}
	}
	if share := 100 * got["r0"] / picks; share >= 20 {
		t.Errorf("the slow replica got %d %%", share)
	}
}

// release gives back the oldest leases, so that at most n are held.
func release(held []Lease, n int) []Lease {
	if len(held) > n {
		held[0].Release()
		return held[1:]
	}
	return held
}

// Rows of a host in doubt serve when nothing else does: an engine's outage alone stops nobody (P8).
func TestDoubtfulRowServesWhenNothingElseDoes(t *testing.T) {
	a := appWith(t, 2, Policy{})
	settle(t, a, "r0", func(r *Row) { r.Doubt = true })
	for range 10 {
		if lease := served(t, a, Visitor{}); lease.Replica.ID != "r1" {
			t.Fatal("a row in doubt was preferred")
		}
	}
	a.Remove("r1", 0)
	if lease := served(t, a, Visitor{}); lease.Replica.ID != "r0" {
		t.Errorf("picked %s", lease.Replica.ID)
	}
}

// A visitor whose upstream failed gets another one if there is one, however busy. If there is none he waits for a change
// and is not told that the app is full, nor does he open a session that nobody will use.
func TestAvoidedUpstreamIsNotPicked(t *testing.T) {
	a := appWith(t, 2, Policy{Max: 2, Sticky: true})
	failed := row(t, a, "r0").Upstream()
	settle(t, a, "r1", func(r *Row) { r.Doubt = true })
	for range 5 {
		if lease := served(t, a, Visitor{Open: true, Avoid: failed}); lease.Replica.ID != "r1" {
			t.Fatal("the avoided upstream was picked before another")
		}
	}
	settle(t, a, "r1", func(r *Row) { r.Drains(SleepRemove, "idle") })
	refused(t, a, Visitor{Open: true, Avoid: failed}, Wait)
	wantSessions(t, a, 5)
	settle(t, a, "r0", func(r *Row) { r.Moved(upstream("s0")) })
	served(t, a, Visitor{Open: true, Avoid: failed})
}
