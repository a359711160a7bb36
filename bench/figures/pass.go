package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"syscall"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/liveness"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

const (
	passHosts = 4
	passRows  = 200
	passImage = "localhost/bench:latest"
)

// pass measures one over many rows on simulated engines, whose own CPU is in it.
func pass(ctx context.Context, b *bench) error {
	keeper, err := newKeeper(ctx)
	if err != nil {
		return err
	}
	keeper.Pass(ctx, journal.Pass) // the first one learns identities
	var taken []time.Duration
	const each = 10 // the kernel counts a process's CPU in small steps
	for range max(b.rounds, 10) {
		before := ownCPU()
		for range each {
			keeper.Pass(ctx, journal.Pass)
		}
		taken = append(taken, (ownCPU()-before)/each)
	}
	b.table.Add(fmt.Sprintf("CPU of a pass over %d rows on %d simulated hosts", passRows, passHosts),
		fmt.Sprintf("%.2f ms (highest %.2f)", milliseconds(harness.Median(taken)), milliseconds(harness.Quantile(taken, 1))), "< 20 ms", fmt.Sprintf("median of %d, the engines' part included", len(taken)))
	return nil
}

// newKeeper has its rows ready, ten to an app, in containers that run.
func newKeeper(ctx context.Context) (*liveness.Keeper, error) {
	log := slog.New(slog.DiscardHandler)
	var hosts []*runtime.Host
	for i := range passHosts {
		world := simulated.NewWorld(simulated.Options{Seed: i})
		world.SetImage(passImage, simulated.Image{})
		hosts = append(hosts, &runtime.Host{Name: fmt.Sprintf("h%d", i), Engine: simulated.New("main", world),
			Reach: runtime.Reach{Mode: runtime.ReachAddress}})
	}
	apps := pool.New()
	for i := range passRows / 10 {
		app := pool.NewApp(fmt.Sprintf("app%d", i), pool.Policy{Max: 10, Port: 8080, Ports: []int{8080}})
		apps.Add(app)
		for j := range 10 {
			if err := fill(ctx, app, hosts[(i+j)%passHosts], fmt.Sprintf("r%d-%d", i, j)); err != nil {
				return nil, err
			}
		}
	}
	return liveness.New(liveness.Options{Pool: apps, Fleet: runtime.NewFleet(hosts...), Instance: "main",
		Checker: readiness.Checker{Prober: probe.Prober{}}, Journal: journal.New(log), Log: log}), nil
}

// fill adds a ready row with its container.
func fill(ctx context.Context, app *pool.App, host *runtime.Host, replica string) error {
	id, err := host.Engine.Create(ctx, runtime.Spec{
		Name: runtime.ContainerName("main", app.Name, replica), Image: runtime.NormalizeImage(passImage),
		Labels: map[string]string{runtime.LabelInstance: "main", runtime.LabelApp: app.Name, runtime.LabelReplica: replica},
		Ports:  []runtime.Port{{Number: 8080, Proto: "tcp"}},
	})
	if err != nil {
		return err
	}
	if err := host.Engine.Start(ctx, id); err != nil {
		return err
	}
	c, err := host.Engine.Inspect(ctx, id)
	if err != nil {
		return err
	}
	endpoint := pool.Endpoint{Addr: netip.AddrPortFrom(c.IPs[0], 8080), Direct: true}
	if _, err := app.Reserve(replica, 0, func(r *pool.Row) { r.Host = host.Name }); err != nil {
		return err
	}
	app.Settle(replica, 0, func(r *pool.Row) bool {
		r.BecomeReady(pool.NewUpstream(c.ID, c.Start, map[int]pool.Endpoint{8080: endpoint}))
		return true
	})
	return nil
}

// ownCPU is what this process has spent.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
