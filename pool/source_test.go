package pool

import "testing"

// The same source gets the same replica while that one serves, sources share all of them, and a replica that goes moves
// only its own.
func TestSourcesStay(t *testing.T) {
	a := appWith(t, 3, Policy{})
	placed, shares := map[uint64]string{}, map[string]int{}
	for source := uint64(1); source <= 3000; source++ {
		placed[source] = placeOf(t, a, source)
		shares[placed[source]]++
	}
	for id, n := range shares {
		if n < 800 || n > 1200 {
			t.Errorf("%s got %d of 3000 sources", id, n)
		}
	}
	settle(t, a, "r1", func(r *Row) { r.Suspected("refused") })
	for source, before := range placed {
		if now := placeOf(t, a, source); now == "r1" || before != "r1" && now != before {
			t.Fatalf("source %d went from %s to %s", source, before, now)
		}
	}
	settle(t, a, "r1", (*Row).Cleared)
	for source, before := range placed {
		if now := placeOf(t, a, source); now != before {
			t.Fatalf("source %d did not come back to %s", source, before)
		}
	}
}

func placeOf(t *testing.T, a *App, source uint64) string {
	t.Helper()
	lease := served(t, a, Visitor{Source: source})
	defer lease.Release()
	return lease.Replica.ID
}
