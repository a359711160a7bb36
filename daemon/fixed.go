package daemon

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/fairlead/fairlead/pool"
)

const (
	// believed is how long an address that a name had is taken for its address.
	believed = 30 * time.Second
	// askAgain is the time between two questions for a name that has none, or whose address does not answer.
	askAgain = 2 * time.Second
	// fixedID is the one replica of an app at a fixed address.
	fixedID = "upstream"
)

// fixed keeps the one row of an app at a fixed address. The row is ready from the start: what speaks against it, and what
// takes that back, is found out as for any replica whose engine is silent.
type fixed struct {
	app     *pool.App
	spec    string // of which the address is
	address netip.AddrPort
	asked   time.Time
}

// run returns when ctx ends.
func (f *fixed) run(ctx context.Context) {
	for {
		changed := f.app.Changed()
		snap := f.app.Snapshot()
		if snap.Policy.Fixed != "" && !snap.Closed {
			f.settle(ctx, snap)
		}
		select {
		case <-changed:
		case <-time.After(askAgain):
		case <-ctx.Done():
			return
		}
	}
}

func (f *fixed) settle(ctx context.Context, snap *pool.Snapshot) {
	row, there := snap.Row(fixedID)
	if f.stale(snap, row, there) {
		address, err := resolve(ctx, snap.Policy.Fixed)
		f.asked = time.Now()
		if err != nil {
			if !there && ctx.Err() == nil {
				f.app.SetFailure(&pool.Failure{Reason: "no address", Detail: err.Error(), Tries: 1, Until: f.asked.Add(askAgain)})
			}
			return // what was known is better than nothing
		}
		f.spec, f.address = snap.Policy.Spec, address
	}
	f.put(snap.Policy, row, there)
}

func (f *fixed) stale(snap *pool.Snapshot, row pool.Row, there bool) bool {
	age := time.Since(f.asked)
	return f.spec != snap.Policy.Spec || age >= believed || age >= askAgain && (!there || row.Suspect() != "")
}

// put makes the row what was found out. One of another address in the configuration is drained by the scaler first.
func (f *fixed) put(policy *pool.Policy, row pool.Row, there bool) {
	become := func(r *pool.Row) bool {
		up := pool.NewUpstream("", policy.Spec, map[int]pool.Endpoint{policy.Port: {Addr: f.address}})
		up.Main = policy.Port
		r.BecomeReady(up)
		r.Adopted, r.Spec = true, policy.Spec
		r.Doubt = true // no engine answers for it
		return true
	}
	switch {
	case !there:
		if _, err := f.app.Reserve(fixedID, 0, func(r *pool.Row) { become(r) }); err == nil {
			f.app.SetFailure(nil)
		}
	case row.Spec == policy.Spec && row.State() == pool.Ready && row.Upstream().Endpoints[policy.Port].Addr != f.address:
		f.app.Settle(fixedID, row.Version, become)
	}
}

// resolve finds the address of HOST:PORT. Of several it takes the first, as the resolver orders them.
func resolve(ctx context.Context, at string) (netip.AddrPort, error) {
	if address, err := netip.ParseAddrPort(at); err == nil {
		return address, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return netip.AddrPort{}, err
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("upstream %s: %w", at, err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("upstream %s: %w", at, err)
	}
	return netip.AddrPortFrom(found[0].Unmap(), uint16(number)), nil
}
