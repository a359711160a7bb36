package pool

import "testing"

// P6: the warm lookup, pick and release allocate nothing. (That they take no lock is to be read, not tested.)
func TestWarmPathAllocatesNothing(t *testing.T) {
	p := New()
	p.Add(appWith(t, 3, Policy{Seats: 100, Sticky: true}))
	cookie := back(served(t, p.App("app"), Visitor{Open: true}))
	for name, visitor := range map[string]Visitor{"without session": {}, "with session": cookie} {
		t.Run(name, func(t *testing.T) {
			allocs := testing.AllocsPerRun(1000, func() {
				admission := p.App("app").Admit(visitor)
				_ = admission.Lease.Endpoint(8080)
				admission.Lease.Release()
			})
			if allocs != 0 {
				t.Errorf("%v allocations", allocs)
			}
		})
	}
}
