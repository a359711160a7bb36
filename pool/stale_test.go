package pool

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A result for a row that moved on is dropped, and so is one for a row of the same id that came after.
func TestStaleResultIsDropped(t *testing.T) {
	a := NewApp("app", Policy{Max: 1})
	reserved, _ := a.Reserve("one", 0, nil)
	if _, ok := a.Settle("one", reserved.Version, func(r *Row) bool { r.Container = "c"; return true }); !ok {
		t.Fatal("a result for the present version was dropped")
	}
	change := func(*Row) bool { t.Error("a stale result was looked at"); return true }
	if _, ok := a.Settle("one", reserved.Version, change); ok {
		t.Error("a stale result was applied")
	}
	if _, ok := a.Remove("one", reserved.Version); ok {
		t.Error("a stale result removed the row")
	}
	a.Remove("one", 0)
	again, _ := a.Reserve("one", 0, nil)
	if again.Version <= reserved.Version {
		t.Errorf("version %d after %d: a row of the same id has an old version", again.Version, reserved.Version)
	}
	if _, ok := a.Settle("one", reserved.Version, change); ok {
		t.Error("a result for a removed row was applied to its successor")
	}
}

// A settlement that refuses leaves everything as it was.
func TestRefusedSettlementChangesNothing(t *testing.T) {
	a := appWith(t, 1, Policy{})
	before := a.Snapshot()
	if _, ok := a.Settle("r0", 0, func(r *Row) bool { r.Container = "x"; return false }); ok {
		t.Error("a refused settlement was applied")
	}
	if a.Snapshot() != before {
		t.Error("a refused settlement made a new snapshot")
	}
}

// Of looks that were asked for in an order, one that comes in late is stale, and each counts once.
func TestFirstOf(t *testing.T) {
	r := newReplica("one")
	for _, c := range []struct {
		asked uint64
		want  bool
	}{{2, true}, {1, false}, {2, false}, {3, true}, {0, false}} {
		if got := r.FirstOf(c.asked); got != c.want {
			t.Errorf("look %d is the newest: %v, want %v", c.asked, got, c.want)
		}
	}
	var applied atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if r.FirstOf(10) {
				applied.Add(1)
			}
		})
	}
	all.Wait()
	if applied.Load() != 1 {
		t.Errorf("one look was applied %d times", applied.Load())
	}
}

// A snapshot that was handed out never changes, whatever happens after.
func TestSnapshotNeverChanges(t *testing.T) {
	a := appWith(t, 3, Policy{Max: 6})
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() { churn(a, g) })
	}
	for range 300 {
		snap := a.Snapshot()
		copied := *snap
		copied.Rows = append([]Row(nil), snap.Rows...)
		policy := *snap.Policy
		time.Sleep(10 * time.Microsecond) // lets others write; nothing depends on whether they do
		if snap.Policy != copied.Policy || !reflect.DeepEqual(*snap.Policy, policy) || !sameRows(snap.Rows, copied.Rows) {
			t.Fatal("a snapshot changed after it was handed out")
		}
	}
	all.Wait()
}

func sameRows(a, b []Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func churn(a *App, g int) {
	for i := range 300 {
		id := fmt.Sprint(g, i%2)
		a.Reserve(id, 0, nil)
		a.Settle(id, 0, func(r *Row) bool { r.BecomeReady(upstream(fmt.Sprint(i))); return true })
		a.Settle("r0", 0, func(r *Row) bool { r.Doubt = !r.Doubt; return true })
		a.SetPolicy(Policy{Max: 6 + i%2})
		a.Remove(id, 0)
	}
}
