package pool

import (
	"fmt"
	"net/netip"
	"testing"
)

// upstream makes a new one, of that start.
func upstream(start string) *Upstream {
	addr := netip.MustParseAddrPort("127.0.0.1:8080")
	return NewUpstream("container-"+start, start, map[int]Endpoint{8080: {Addr: addr, Direct: true}})
}

// appWith makes an app with n ready replicas r0, r1, …, of starts s0, s1, ….
func appWith(t testing.TB, n int, p Policy) *App {
	t.Helper()
	p.Max = max(p.Max, n)
	a := NewApp("app", p)
	for i := range n {
		ready(t, a, fmt.Sprintf("r%d", i), fmt.Sprintf("s%d", i))
	}
	return a
}

// ready reserves a row and makes it ready.
func ready(t testing.TB, a *App, id, start string) Row {
	t.Helper()
	if _, err := a.Reserve(id, 0, nil); err != nil {
		t.Fatalf("reserve %s: %v", id, err)
	}
	return settle(t, a, id, func(r *Row) { r.BecomeReady(upstream(start)) })
}

func settle(t testing.TB, a *App, id string, change func(*Row)) Row {
	t.Helper()
	row, ok := a.Settle(id, 0, func(r *Row) bool { change(r); return true })
	if !ok {
		t.Fatalf("no row %s to settle", id)
	}
	return row
}

func row(t testing.TB, a *App, id string) Row {
	t.Helper()
	r, ok := a.Snapshot().Row(id)
	if !ok {
		t.Fatalf("no row %s", id)
	}
	return r
}

// served admits a visitor who must be served.
func served(t testing.TB, a *App, v Visitor) Lease {
	t.Helper()
	admission := a.Admit(v)
	if admission.Outcome != Served {
		t.Fatalf("visitor is told %q, want served", admission.Outcome)
	}
	return admission.Lease
}

// refused admits a visitor who must get that outcome.
func refused(t testing.TB, a *App, v Visitor, want Outcome) {
	t.Helper()
	admission := a.Admit(v)
	if admission.Outcome != want {
		t.Fatalf("visitor is told %q, want %q", admission.Outcome, want)
	}
}

// back is the visitor as his cookie shows him with his next request.
func back(l Lease) Visitor {
	return Visitor{Session: l.Session.ID, Replica: l.Replica.ID, Start: l.Session.Start, Open: true}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func wantCounts(t testing.TB, r *Replica, leases, seats int) {
	t.Helper()
	if r.Leases() != leases || r.Seats() != seats {
		t.Errorf("%s has %d leases and %d seats taken, want %d and %d", r.ID, r.Leases(), r.Seats(), leases, seats)
	}
}
