package main

import (
	"context"
	"errors"
	"slices"

	"github.com/fairlead/fairlead/bench/harness"
)

// profiled prints where Fairlead's CPU goes under the first work, by function and by what is called from it.
func (b *bench) profiled(ctx context.Context, chosen []work) error {
	works := slices.DeleteFunc(chosen, func(w work) bool { return w.idle != nil })
	if len(works) == 0 {
		return errors.New("no work of that name to profile")
	}
	first, p := works[0], b.bare
	if i := slices.IndexFunc(b.proxies, func(p *proxy) bool { return p.Name == first.judged() }); i >= 0 {
		p = b.proxies[i]
	}
	return harness.Profiled(ctx, p.profiler, b.run.Path("profiled"), first.name, b.during, func() (harness.Load, error) {
		return first.do(p)
	})
}
