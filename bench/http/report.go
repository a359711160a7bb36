package main

import (
	"fmt"
	"io"

	"github.com/fairlead/fairlead/bench/harness"
)

// report prints what each proxy did under each work, and how Fairlead compares.
func (b *bench) report(to io.Writer) {
	spent := harness.Table{Head: []string{"work", "proxy", "CPU µs each", "per second", "p50 ms", "p99 ms", "RSS MiB",
		"Fairlead's CPU ÷ its (lowest–highest round)", "to reach", "CPU µs with client and app", "Fairlead's ÷ its", "to reach"}}
	held := harness.Table{Head: []string{"held open", "proxy", "KiB each (PSS)", "to reach", "RSS MiB"}}
	for _, r := range b.results {
		for _, p := range b.proxies {
			f := r.by[p.Name]
			switch {
			case f == nil:
			case len(f.rss) == 0:
				spent.Add(r.name, p.Name, fmt.Sprintf("failed: %.80v", f.Failed))
			case r.idle != nil:
				held.Add(r.name, p.Name+f.Said(), one(f.each), harness.Goal(r.target[p.Name]), one(f.rss))
			default:
				spent.Add(r.row(p.Name, f)...)
			}
		}
	}
	for _, table := range []harness.Table{spent, held} {
		if len(table.Rows) > 0 {
			table.Write(to)
		}
	}
}

func (r *result) row(peer string, f *figures) []string {
	row := []string{r.name, peer + f.Said(), one(f.CPU), fmt.Sprintf("%.0f", harness.Median(f.Rate)), harness.Milliseconds(f.P50), harness.Milliseconds(f.P99), one(f.rss)}
	row = append(row, r.compare(peer, func(f *figures) []float64 { return f.CPU }), harness.Goal(r.target[peer]))
	return append(row, one(f.All), r.compare(peer, func(f *figures) []float64 { return f.All }), harness.Goal(r.sum[peer]))
}

// compare divides what the one that is judged spends by what another does.
func (r *result) compare(peer string, of func(*figures) []float64) string {
	ours, ok := r.by[r.judged()]
	if !ok || peer == r.judged() {
		return ""
	}
	return harness.Compared(of(ours), of(r.by[peer]))
}

func one(values []float64) string { return fmt.Sprintf("%.1f", harness.Median(values)) }
