package main

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

const (
	// idleRounds are enough: what a connection holds hardly differs between rounds.
	idleRounds = 3
	// settle is how long a proxy has to give back what opening connections took.
	settle = time.Second
)

// holdIdle takes a fresh process, so that what earlier work left does not hide what a connection needs.
func (b *bench) holdIdle(ctx context.Context, w work, p *proxy, f *figures) error {
	if err := harness.AwaitPorts(ctx, w.conns); err != nil {
		return err
	}
	if err := p.Renew(ctx); err != nil {
		return err
	}
	time.Sleep(settle)
	before := p.Process.Usage().PSS
	args := append(slices.Clone(w.idle), "-conns", strconv.Itoa(w.conns), "-address", w.address(p))
	made, release, err := harness.Hold(b.loader, args...)
	if err != nil {
		return err
	}
	defer release()
	time.Sleep(settle)
	now := p.Process.Usage()
	f.each = append(f.each, float64(now.PSS-before)/1024/float64(max(made.Requests, 1)))
	f.rss = append(f.rss, float64(now.RSS)/(1<<20))
	f.Note(made)
	return nil
}
