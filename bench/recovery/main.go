// Command recovery restarts and removes a container from outside, under a steady stream of requests, and prints what
// visitors noticed.
//
//	make build && go run ./bench/recovery                    # on Docker, and on what scripts/engines.sh env names
//	go run ./bench/recovery -engines docker -proxies fairlead,caddy
//	go run ./bench/recovery -write                           # keep the table in bench/RESULTS.md
//
// The app boots for a second before it listens. The peer is caddy with caddy-docker-proxy, which follows Docker's events
// as well, but starts nothing: for it, a removed container is run again at once. A failed request is one that had no 2xx
// within a client's patience of 30 s; the window is from the first that failed to the last. Requests are sent at fixed
// times, whatever became of those before.
package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

type options struct {
	engines string
	only    string
	proxies string
	rounds  int
	rate    int
	during  time.Duration
	boot    time.Duration
	keep    bool
}

func main() {
	var o options
	flag.StringVar(&o.engines, "engines", "docker,podman,rootless", "where; those that the environment does not name are left out")
	flag.StringVar(&o.proxies, "proxies", "fairlead,caddy", "whom to measure; caddy is measured on docker")
	flag.StringVar(&o.only, "only", "", "the fault whose name has this in it")
	flag.IntVar(&o.rounds, "rounds", 3, "times that each fault is made")
	flag.IntVar(&o.rate, "rate", 100, "requests a second")
	flag.DurationVar(&o.during, "for", 8*time.Second, "how long requests come; the fault is made after 2 s")
	flag.DurationVar(&o.boot, "boot", time.Second, "the app's boot")
	flag.BoolVar(&o.keep, "write", false, "keep the table in "+harness.ResultsFile)
	flag.Parse()
	harness.Main("bench/recovery", o.run)
}

func (o options) run(ctx context.Context) error {
	section := harness.Begin("./bench/recovery")
	if err := harness.CheckBinary(); err != nil {
		return err
	}
	run, err := harness.NewRun()
	if err != nil {
		return err
	}
	defer run.Close()
	b := &bench{options: o, run: run}
	for _, engine := range strings.Split(o.engines, ",") {
		url := harness.EngineURL(engine)
		if url == "" {
			b.leaveOut(fmt.Errorf("%s: the environment names no such engine", engine))
			continue
		}
		if _, err := image.Build(ctx, url); err != nil {
			return err
		}
		for _, proxy := range strings.Split(o.proxies, ",") {
			b.measure(ctx, engine, url, proxy)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return section.Print(b.report(), "Recovery", o.keep)
}
