package pool

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A lease and the start of draining at the same moment: either the lease is undone, or who drains sees it and waits.
func TestDrainSeesEveryLease(t *testing.T) {
	for range 3000 {
		a := appWith(t, 1, Policy{Max: 1})
		replica := row(t, a, "r0").Replica
		var stopped atomic.Bool
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				admission := a.Admit(Visitor{})
				if admission.Outcome != Served {
					return
				}
				if stopped.Load() {
					t.Error("a lease was given on a replica that had been drained")
				}
				if admission.Lease.Upstream == nil {
					t.Error("a lease without an upstream")
				}
				admission.Lease.Release()
			})
		}
		all.Go(func() {
			a.Settle("r0", 0, func(r *Row) bool { r.Drains(SleepRemove, "idle"); return true })
			if replica.Leases() == 0 {
				stopped.Store(true)
			}
		})
		all.Wait()
		wantCounts(t, replica, 0, 0)
	}
}

// A drained row that becomes ready again lets visitors in, and its last lease is no news.
func TestReadyEndsDraining(t *testing.T) {
	a := appWith(t, 1, Policy{})
	settle(t, a, "r0", func(r *Row) { r.Drains(SleepRemove, "idle") })
	settle(t, a, "r0", func(r *Row) { r.BecomeReady(upstream("s1")) })
	<-a.Work()
	served(t, a, Visitor{}).Release()
	if len(a.Work()) > 0 {
		t.Error("the end of a lease on a ready replica nudges the scaler")
	}
}
