package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fairlead/fairlead/bench/harness"
)

// work is one kind of load.
type work struct {
	name   string
	args   []string           // of the loader
	udp    bool               // haproxy has none
	joined bool               // it goes to the second address
	idle   bool               // connections to hold
	target map[string]float64 // our CPU over the peer's
	sum    map[string]float64 // the same with client and app
}

// works lists all, with the ratios to reach.
func (b *bench) works() []work {
	small := map[string]float64{"nginx": 1.15, "haproxy": 1.15}
	return []work{
		{name: "new connections, 32 at once", args: []string{"-mode", "new", "-conns", "32", "-size", "64"},
			target: map[string]float64{"haproxy": 1.2}},
		{name: "messages of 64 B, 64 connections", args: []string{"-mode", "echo", "-conns", "64", "-size", "64"}, target: small},
		{name: "messages of 64 B, 512 connections", args: []string{"-mode", "echo", "-conns", "512", "-size", "64"}, target: small},
		{name: "MiB of bulk, 1 connection", args: []string{"-mode", "bulk", "-conns", "1"},
			target: map[string]float64{"haproxy": .9}, sum: map[string]float64{"haproxy": .9}},
		{name: "MiB of bulk, 16 connections", args: []string{"-mode", "bulk", "-conns", "16"},
			target: map[string]float64{"haproxy": .9}, sum: map[string]float64{"haproxy": .9}},
		{name: "datagrams of 512 B, 16 flows, window of 16", args: udp(16, 16, 512), udp: true,
			target: map[string]float64{"nginx": .6}},
		{name: "datagrams of 512 B, senders with GSO", args: append(udp(16, 16, 512), "-joined"), udp: true, joined: true,
			target: map[string]float64{"nginx": .15}},
		{name: "datagrams of 1200 B, senders with GSO", args: append(udp(16, 16, 1200), "-joined"), udp: true, joined: true,
			target: map[string]float64{"nginx": .15}},
		{name: "datagrams of 512 B, 64 flows, one at a time", args: udp(64, 1, 512), udp: true,
			target: map[string]float64{"nginx": 1.3}},
		{name: fmt.Sprintf("%d idle connections", b.options.idle), args: []string{"-mode", "idletcp", "-size", "64"}, idle: true},
	}
}

func udp(flows, window, size int) []string {
	return []string{"-mode", "udp", "-conns", strconv.Itoa(flows), "-window", strconv.Itoa(window), "-size", strconv.Itoa(size)}
}

// concerns says whether a proxy can do the work.
func (w *work) concerns(p *proxy) bool { return !w.udp || p.Name != "haproxy" }

// do runs the loader against a proxy.
func (b *bench) do(w *work, p *proxy) (harness.Load, error) {
	return harness.Loader(b.loader, append(slices.Clone(w.args), "-for", b.during.String(), "-address", w.address(p))...)
}

func (w *work) address(p *proxy) string {
	if w.joined {
		return p.joined
	}
	return p.Address
}
