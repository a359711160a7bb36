package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/fairlead/fairlead/bench/harness"
)

// figures of one proxy under one work, with a value for each round.
type figures struct {
	harness.Spent
	rss, each []float64 // MiB, and KiB for each held connection
}

type result struct {
	work
	by map[string]*figures
}

// measure gives each proxy its turn in every round, another one first each time.
func (b *bench) measure(ctx context.Context, w work) {
	r := &result{work: w, by: map[string]*figures{}}
	b.results = append(b.results, r)
	able := slices.DeleteFunc(slices.Clone(b.proxies), func(p *proxy) bool { return !w.concerns(p.Name) })
	for _, p := range able {
		r.by[p.Name] = &figures{}
	}
	turn, rounds := b.turn, b.rounds
	if w.idle != nil {
		turn, rounds = b.holdIdle, min(b.rounds, idleRounds)
	}
	harness.Rounds(able, rounds, func(p *proxy) {
		if f := r.by[p.Name]; ctx.Err() == nil && f.Failed == nil {
			f.Failed = turn(ctx, w, p, f)
		}
	})
	for _, p := range able {
		f := r.by[p.Name]
		fmt.Fprintf(os.Stderr, "%-54s %-12s %8.1f us %8.0f /s %6.1f KiB%s\n", w.name, p.Name,
			harness.Median(f.CPU), harness.Median(f.Rate), harness.Median(f.each), f.Said())
	}
}

func (b *bench) turn(_ context.Context, w work, p *proxy, f *figures) error {
	if err := f.Turn(p.Process.PID(), p.app, func() (harness.Load, error) { return w.do(p) }); err != nil {
		return err
	}
	f.rss = append(f.rss, float64(p.Process.Usage().RSS)/(1<<20))
	return nil
}
