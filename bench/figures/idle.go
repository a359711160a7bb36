package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

// startAndIdle measures how soon Fairlead accepts connections, and what it takes when nothing happens.
func startAndIdle(ctx context.Context, b *bench) error {
	f, err := b.run.Fairlead(ctx, harness.Config{URL: b.url, Image: image.Plain.Ref(), Apps: `  one: {route: {path: /one}, replicas: {min: 1}}
  two: {route: {path: /two}, replicas: {min: 1}}
  three: {route: {path: /three}, replicas: {min: 1}}`})
	if err != nil {
		return err
	}
	for _, app := range []string{"one", "two", "three"} {
		if _, err := f.Wake(ctx, app); err != nil {
			return err
		}
	}
	var starts []time.Duration
	for range b.rounds {
		f.End()
		if err := f.Again(ctx); err != nil {
			return err
		}
		starts = append(starts, f.Ready)
	}
	b.add("start to listening, 3 apps adopted", "< 300 ms", starts)
	const wait = 25 * time.Second // two passes at least
	spent := f.Usage().CPU
	time.Sleep(wait)
	now := f.Usage()
	b.table.Add("RSS when idle, 3 apps", fmt.Sprintf("%.1f MiB", float64(now.RSS)/(1<<20)), "< 60 MiB", fmt.Sprintf("after %s", wait))
	b.table.Add("CPU when idle, 3 apps", fmt.Sprintf("%.2f ms/s", float64((now.CPU-spent).Milliseconds())/wait.Seconds()), "", "")
	f.End()
	return nil
}
