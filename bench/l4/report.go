package main

import (
	"fmt"
	"io"

	"github.com/fairlead/fairlead/bench/harness"
)

// report prints what each proxy did under each work, and how Fairlead compares.
func (b *bench) report(to io.Writer) {
	spent := harness.Table{Head: []string{"work", "proxy", "CPU µs each", "per second", "p50 ms", "p99 ms",
		"Fairlead's CPU ÷ its (lowest–highest round)", "to reach", "CPU µs with client and app", "Fairlead's ÷ its", "to reach"}}
	held := harness.Table{Head: []string{"held open", "proxy", "KiB each (PSS)", "descriptors each"}}
	for _, r := range b.results {
		for _, p := range b.proxies {
			f := r.by[p.Name]
			switch {
			case f == nil:
			case len(f.CPU) == 0 && len(f.memory) == 0:
				spent.Add(r.name, p.Name, fmt.Sprintf("failed: %.80v", f.Failed))
			case r.idle:
				held.Add(r.name, p.Name+f.Said(), two(f.memory), two(f.files))
			default:
				ratio, goal := r.compare(p.Name, r.target, func(f *figures) []float64 { return f.CPU })
				sumRatio, sumGoal := r.compare(p.Name, r.sum, func(f *figures) []float64 { return f.All })
				spent.Add(r.name, p.Name+f.Said(), two(f.CPU), fmt.Sprintf("%.0f", harness.Median(f.Rate)), harness.Milliseconds(f.P50), harness.Milliseconds(f.P99),
					ratio, goal, two(f.All), sumRatio, sumGoal)
			}
		}
	}
	for _, table := range []harness.Table{spent, held} {
		if len(table.Rows) > 0 {
			table.Write(to)
		}
	}
}

func (r *result) compare(peer string, target map[string]float64, of func(*figures) []float64) (ratio, goal string) {
	ours, ok := r.by["fairlead"]
	if !ok || peer == "fairlead" {
		return "", ""
	}
	if ratio = harness.Compared(of(ours), of(r.by[peer])); ratio == "" {
		return "", ""
	}
	return ratio, harness.Goal(target[peer])
}

func two(values []float64) string { return fmt.Sprintf("%.2f", harness.Median(values)) }
