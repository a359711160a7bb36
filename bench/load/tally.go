package main

import (
	"sync"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

// tally is what one connection saw.
type tally struct{ latencies []time.Duration }

func (t *tally) took(d time.Duration) { t.latencies = append(t.latencies, d) }

// side runs work on each connection, and sums up. A connection that failed counts one error, and its rest is missing.
func (o options) side(work func(i int, t *tally) error) (harness.Load, error) {
	tallies := make([]tally, o.conns)
	failures := make([]error, o.conns)
	began := time.Now()
	var all sync.WaitGroup
	for i := range o.conns {
		all.Go(func() { failures[i] = work(i, &tallies[i]) })
	}
	all.Wait()
	var latencies []time.Duration
	made := harness.Load{Seconds: time.Since(began).Seconds()}
	for i := range tallies {
		latencies = append(latencies, tallies[i].latencies...)
		if failures[i] != nil {
			made.Errors, made.Error = made.Errors+1, failures[i].Error()
		}
	}
	made.Requests = len(latencies)
	made.P50, made.P99 = harness.Quantile(latencies, .5), harness.Quantile(latencies, .99)
	return made, nil
}
