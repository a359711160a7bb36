package main

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/fairlead/fairlead/bench/harness"
)

// profiled prints where Fairlead's CPU goes under the first work, by function and by what is called from it.
func (b *bench) profiled(ctx context.Context, only *regexp.Regexp) error {
	works := slices.DeleteFunc(b.works(), func(w work) bool { return w.idle || !only.MatchString(w.name) })
	if len(works) == 0 {
		return errors.New("no work of that name to profile")
	}
	first, p := &works[0], b.ours()
	return harness.Profiled(ctx, b.socket, b.fairlead.Binary, first.name, b.during, func() (harness.Load, error) {
		return b.do(first, p)
	})
}
