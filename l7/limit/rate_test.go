package limit

import (
	"net/netip"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestBurstThenRate(t *testing.T) {
	r, a := NewRate(10, time.Second, 3), addr("192.0.2.1")
	for i := range 3 {
		if wait := r.Take(a, start); wait != 0 {
			t.Fatalf("request %d waits %s", i, wait)
		}
	}
	if wait := r.Take(a, start); wait != 100*time.Millisecond {
		t.Errorf("the fourth waits %s", wait)
	}
	if wait := r.Take(a, start.Add(99*time.Millisecond)); wait != time.Millisecond {
		t.Errorf("a bit early: %s", wait)
	}
	if wait := r.Take(a, start.Add(100*time.Millisecond)); wait != 0 {
		t.Errorf("one came back, but %s", wait)
	}
	// Who is refused and tries all the time pays nothing for it, and a pause brings the burst back, no more.
	later, taken := start.Add(time.Hour), 0
	for r.Take(a, later) == 0 {
		taken++
	}
	if taken != 3 {
		t.Errorf("%d at once after a pause", taken)
	}
}

func TestOverTimeItIsTheRate(t *testing.T) {
	r, a, taken := NewRate(100, time.Minute, 0), addr("192.0.2.1"), 0
	for at := time.Duration(0); at < 10*time.Minute; at += 50 * time.Millisecond {
		if r.Take(a, start.Add(at)) == 0 {
			taken++
		}
	}
	if taken < 1090 || taken > 1101 { // the burst, then 100 in each of ten minutes
		t.Errorf("%d in ten minutes", taken)
	}
}

func TestClientsAreApart(t *testing.T) {
	r := NewRate(1, time.Minute, 0)
	for who, free := range map[string]bool{"192.0.2.1": true, "192.0.2.2": true, "2001:db8::1": true, "2001:db8:0:1::1": true} {
		if wait := r.Take(addr(who), start); (wait == 0) != free {
			t.Errorf("%s: %s", who, wait)
		}
	}
	for _, who := range []string{"::ffff:192.0.2.1", "2001:db8::ffff", "2001:db8::1%eth0"} {
		if r.Take(addr(who), start) == 0 {
			t.Errorf("%s is not taken for who he is", who)
		}
	}
	for i, free := range []bool{true, false} {
		if wait := r.Take(netip.Addr{}, start); (wait == 0) != free {
			t.Errorf("who has no address, time %d: %s", i, wait)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	r := NewRate(1, time.Minute, 0)
	for i := range Known + 1000 {
		r.Take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), start)
	}
	if len(r.clients) != Known || r.order.Len() != Known {
		t.Errorf("%d and %d clients are known", len(r.clients), r.order.Len())
	}
	if r.Take(netip.AddrFrom4([4]byte{10, 0, 0, 0}), start) != 0 {
		t.Error("the first one was not forgotten")
	}
	if r.Take(netip.AddrFrom4([4]byte{10, 1, 0, 0}), start) == 0 {
		t.Error("one of the last was forgotten")
	}
}

func TestKnownClientCostsNothing(t *testing.T) {
	r, a := NewRate(1000, time.Second, 0), addr("192.0.2.1")
	now := start
	if n := testing.AllocsPerRun(100, func() { now = now.Add(time.Millisecond); r.Take(a, now) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLoad(t *testing.T) {
	var l Load
	for i, want := range []bool{true, true, false} {
		if got := l.Enter(2); got != want {
			t.Errorf("number %d: %v", i, got)
		}
	}
	l.Leave()
	if !l.Enter(2) {
		t.Error("nobody comes in after one has left")
	}
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }
