package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/bench/harness"
)

// backendImage is the app that all proxies have behind them.
const backendImage = "localhost/fairlead-bench:latest"

type bench struct {
	options
	run     *harness.Run
	engine  string
	loader  string // bench/load, compiled
	upload  string // wrk's script
	pair    harness.Pair
	bare    *proxy
	proxies []*proxy
	absent  []string
	results []*result
}

// proxy is known with what is behind it.
type proxy struct {
	*harness.Proxy
	secure   string // where it speaks TLS, and QUIC if it can
	app      int    // the app's process
	cookie   string // of a session, empty if it gives none
	profiler string // its socket, empty if there is none
}

// prepare builds and starts all that work goes through, Fairlead first: the app is its container, and the others dial
// where it found it.
func (b *bench) prepare(ctx context.Context, chosen []work) (err error) {
	b.loader, b.engine = b.run.Path("load"), harness.EngineURL("docker")
	if err := harness.Compile(ctx, "github.com/fairlead/fairlead/bench/load", b.loader); err != nil {
		return err
	}
	if err := harness.BuildImage(ctx, b.engine, "github.com/fairlead/fairlead/bench/backend", backendImage); err != nil {
		return err
	}
	b.upload, err = b.run.Write("upload.lua", "wrk.method = \"POST\"\nwrk.body = string.rep(\"x\", 1048576)\n")
	if err != nil {
		return err
	}
	if b.pair, err = b.run.Pair(); err != nil {
		return err
	}
	if b.profile {
		if _, _, err = b.run.Profiled(ctx); err != nil {
			return err
		}
	}
	var replica admin.Replica
	if b.bare, replica, err = b.startBare(ctx); err != nil {
		return err
	}
	for _, name := range wanted(b.options.proxies, chosen) {
		p, err := b.start(ctx, name, replica.Upstream)
		if err != nil {
			b.absent = append(b.absent, err.Error())
			fmt.Fprintln(os.Stderr, "left out:", err)
			continue
		}
		b.proxies = append(b.proxies, p)
	}
	return nil
}

// wanted are the proxies to start: those that were asked for, where some work concerns them.
func wanted(asked string, chosen []work) (names []string) {
	for name := range strings.SplitSeq(asked, ",") {
		if slices.ContainsFunc(chosen, func(w work) bool { return w.concerns(name) }) {
			names = append(names, name)
		}
	}
	return names
}

func (b *bench) notes() string {
	var said strings.Builder
	for _, p := range b.proxies {
		fmt.Fprintf(&said, "%s: %s. ", p.Name, p.Release)
	}
	fmt.Fprintf(&said, "%s. %s.\n", harness.Release("wrk", "-v"), harness.Release("h2load", "--version"))
	for _, why := range b.absent {
		fmt.Fprintf(&said, "Left out: %s.\n", why)
	}
	return said.String() + "\n"
}
