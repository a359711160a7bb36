package main

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// picks counts what a warm request costs in the pool: finding the app, picking a replica, and giving it back.
func picks(_ context.Context, b *bench) error {
	apps := pool.New()
	app := pool.NewApp("app", pool.Policy{Max: 3, Seats: 100, Sticky: true, Port: 8080, Ports: []int{8080}})
	apps.Add(app)
	endpoint := pool.Endpoint{Addr: netip.MustParseAddrPort("127.0.0.1:8080"), Direct: true}
	for i := range 3 {
		id := fmt.Sprintf("r%d", i)
		if _, err := app.Reserve(id, 0, nil); err != nil {
			return err
		}
		app.Settle(id, 0, func(r *pool.Row) bool {
			r.BecomeReady(pool.NewUpstream("container-"+id, "start-"+id, map[int]pool.Endpoint{8080: endpoint}))
			return true
		})
	}
	opened := app.Admit(pool.Visitor{Open: true}).Lease
	bound := pool.Visitor{Session: opened.Session.ID, Replica: opened.Replica.ID, Start: opened.Session.Start, Open: true}
	for _, visitor := range []pool.Visitor{{}, bound} {
		name := "without a session"
		if visitor == bound {
			name = "with a session"
		}
		const runs = 1_000_000
		began := time.Now()
		allocations := testing.AllocsPerRun(runs, func() {
			lease := apps.App("app").Admit(visitor).Lease
			_ = lease.Endpoint(8080)
			lease.Release()
		})
		b.table.Add("allocations of lookup, pick and release, "+name, fmt.Sprintf("%.0f, %d ns", allocations, time.Since(began).Nanoseconds()/runs),
			"0", fmt.Sprintf("mean of %d", runs))
	}
	return nil
}
