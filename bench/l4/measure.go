package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

const (
	// idleRounds are enough: what a connection holds hardly differs between rounds.
	idleRounds = 3
	// settle is how long a proxy has to give back what opening connections took.
	settle = 2 * time.Second
)

// figures of one proxy under one work, with a value for each round.
type figures struct {
	harness.Spent
	memory, files []float64 // KiB and descriptors for each held connection
}

type result struct {
	work
	by map[string]*figures
}

// measure gives each proxy its turn in every round, another one first each time.
func (b *bench) measure(ctx context.Context, w work) {
	r := &result{work: w, by: map[string]*figures{}}
	b.results = append(b.results, r)
	able := slices.DeleteFunc(slices.Clone(b.proxies), func(p *proxy) bool { return !w.concerns(p) })
	for _, p := range able {
		r.by[p.Name] = &figures{}
	}
	turn, rounds := b.turn, b.rounds
	if w.idle {
		turn, rounds = b.hold, min(b.rounds, idleRounds)
	}
	harness.Rounds(able, rounds, func(p *proxy) {
		if f := r.by[p.Name]; ctx.Err() == nil && f.Failed == nil {
			f.Failed = turn(ctx, &w, p, f)
		}
	})
	for _, p := range able {
		f := r.by[p.Name]
		fmt.Fprintf(os.Stderr, "%-44s %-9s %8.2f us %8.2f us in all %8.0f /s %6.2f KiB %4.1f files%s\n", w.name, p.Name,
			harness.Median(f.CPU), harness.Median(f.All), harness.Median(f.Rate), harness.Median(f.memory),
			harness.Median(f.files), f.Said())
	}
}

func (b *bench) turn(_ context.Context, w *work, p *proxy, f *figures) error {
	return f.Turn(p.Process.PID(), b.appPID, func() (harness.Load, error) { return b.do(w, p) })
}

// hold takes a fresh process, so that what earlier work left does not hide what a connection needs.
func (b *bench) hold(ctx context.Context, w *work, p *proxy, f *figures) error {
	if err := harness.AwaitPorts(ctx, b.options.idle); err != nil {
		return err
	}
	if err := p.Renew(ctx); err != nil {
		return err
	}
	time.Sleep(settle)
	memory, files := p.Process.Usage().PSS, harness.Descriptors(p.Process.PID())
	made, release, err := harness.Hold(b.loader, append(slices.Clone(w.args), "-conns", strconv.Itoa(b.options.idle), "-address", p.Address)...)
	if err != nil {
		return err
	}
	defer release()
	time.Sleep(settle)
	n := float64(max(made.Requests, 1))
	f.memory = append(f.memory, float64(p.Process.Usage().PSS-memory)/1024/n)
	f.files = append(f.files, float64(harness.Descriptors(p.Process.PID())-files)/n)
	f.Note(made)
	return nil
}
