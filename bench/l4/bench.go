package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/fairlead/fairlead/bench/harness"
)

// appImage is the app that all proxies have behind them.
const appImage = "localhost/fairlead-bench-l4:latest"

type bench struct {
	options
	run      *harness.Run
	loader   string // bench/load, compiled
	fairlead *harness.Fairlead
	listen   string // Fairlead's address for TCP and UDP
	joined   string // Fairlead's for UDP that was put together
	app      string // the container's address
	appPID   int
	socket   string // the profiler's
	proxies  []*proxy
	absent   []string
	results  []*result
}

// proxy has a second address: for datagrams that were put together.
type proxy struct {
	*harness.Proxy
	joined string
}

// prepare builds and starts all that work goes through.
func (b *bench) prepare(ctx context.Context) (err error) {
	b.loader = b.run.Path("load")
	if err := harness.Compile(ctx, "github.com/fairlead/fairlead/bench/load", b.loader); err != nil {
		return err
	}
	url := harness.EngineURL("docker")
	if err := harness.BuildImage(ctx, url, "github.com/fairlead/fairlead/bench/echo", appImage); err != nil {
		return err
	}
	if err := b.startFairlead(ctx, url); err != nil {
		return err
	}
	for _, name := range strings.Split(b.options.proxies, ",") {
		p, err := b.start(ctx, strings.TrimSpace(name))
		if err != nil {
			b.absent = append(b.absent, err.Error())
			fmt.Fprintln(os.Stderr, "left out:", err)
			continue
		}
		b.proxies = append(b.proxies, p)
	}
	return nil
}

// startFairlead begins with Fairlead, since the app is its container; the others dial where it found it.
func (b *bench) startFairlead(ctx context.Context, url string) (err error) {
	if b.listen, b.joined, err = twoAddresses(); err != nil {
		return err
	}
	config := harness.Config{URL: url, Image: appImage, Apps: fmt.Sprintf(`  bench:
    route: [{tcp: %[1]q}, {udp: %[1]q}, {udp: %[2]q, port: 8081}]
    replicas: {min: 1, max: 1}`, b.listen, b.joined)}
	if b.profile {
		if config.Binary, b.socket, err = b.run.Profiled(ctx); err != nil {
			return err
		}
		config.Env = []string{"BENCH_PPROF=" + b.socket}
	}
	if b.fairlead, err = b.run.Fairlead(ctx, config); err != nil {
		return err
	}
	replica, err := b.fairlead.Wake(ctx, "bench")
	if err != nil {
		return err
	}
	b.app = replica.Upstream
	outside, err := b.run.NewOutside(url)
	if err != nil {
		return err
	}
	b.appPID, err = outside.PID(ctx, replica.Container)
	return err
}

func twoAddresses() (one, other string, err error) {
	if one, err = harness.FreeAddress(); err != nil {
		return "", "", err
	}
	other, err = harness.FreeAddress()
	return one, other, err
}

func (b *bench) notes() string {
	var said strings.Builder
	for _, p := range b.proxies {
		fmt.Fprintf(&said, "%s: %s. ", p.Name, p.Release)
	}
	for _, why := range b.absent {
		fmt.Fprintf(&said, "Left out: %s. ", why)
	}
	return strings.TrimSpace(said.String()) + "\n\n"
}
