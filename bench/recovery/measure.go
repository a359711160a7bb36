package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

type bench struct {
	options
	run    *harness.Run
	table  harness.Table
	absent []string
}

// fault is harm done from outside.
type fault struct {
	name string
	do   func(ctx context.Context, s *subject, id string) error
}

var faults = []fault{
	{"docker restart -t 1", func(ctx context.Context, s *subject, id string) error { return s.outside.Restart(ctx, id) }},
	{"docker rm -f", remove},
}

func remove(ctx context.Context, s *subject, id string) error {
	if err := s.outside.Remove(ctx, id); err != nil || s.rerun == nil {
		return err
	}
	return s.rerun(ctx)
}

func (b *bench) leaveOut(why error) {
	b.absent = append(b.absent, why.Error())
	fmt.Fprintln(os.Stderr, "left out:", why)
}

func (b *bench) measure(ctx context.Context, engine, url, proxy string) {
	if proxy == "caddy" && engine != "docker" {
		return
	}
	s, err := b.subject(ctx, url, proxy)
	if err != nil {
		b.leaveOut(fmt.Errorf("%s on %s: %w", proxy, engine, err))
		return
	}
	for _, f := range faults {
		if !strings.Contains(f.name, b.only) {
			continue
		}
		var seen []traffic
		for range b.rounds {
			t, err := b.once(ctx, s, f)
			if err != nil {
				b.leaveOut(fmt.Errorf("%s on %s, %s: %w", proxy, engine, f.name, err))
				return
			}
			fmt.Fprintf(os.Stderr, "%-8s %-9s %-20s %d of %d failed over %s, longest %s %s\n", engine, proxy, f.name,
				t.failed, t.sent, t.window.Round(time.Millisecond), t.longest.Round(time.Millisecond), t.cause)
			seen = append(seen, t)
		}
		b.add(engine, proxy, f.name, seen)
	}
}

func (b *bench) once(ctx context.Context, s *subject, f fault) (traffic, error) {
	if err := s.awaitServed(ctx); err != nil {
		return traffic{}, err
	}
	id, err := s.current(ctx)
	if err != nil {
		return traffic{}, err
	}
	return send(ctx, s.url, b.rate, b.during, func() error { return f.do(ctx, s, id) })
}

// add a row: each round's failures, and the medians of the rest.
func (b *bench) add(engine, proxy, fault string, seen []traffic) {
	var failed []string
	var window, longest []time.Duration
	cause := ""
	for _, t := range seen {
		failed = append(failed, fmt.Sprint(t.failed))
		window, longest = append(window, t.window), append(longest, t.longest)
		if t.cause != "" {
			cause = t.cause
		}
	}
	b.table.Add(engine, proxy, fault, fmt.Sprintf("%s of %d", strings.Join(failed, ", "), seen[0].sent),
		seconds(harness.Median(window)), seconds(harness.Median(longest)), cause)
}

func (b *bench) report() string {
	var said strings.Builder
	fmt.Fprintf(&said, "GET at %d a second for %s, an app that boots for %s, %d rounds of each.\n\n", b.rate, b.during, b.boot, b.rounds)
	b.table.Head = []string{"engine", "proxy", "from outside", "failed in each round", "window", "longest answer", "a failure"}
	b.table.Write(&said)
	for _, why := range b.absent {
		fmt.Fprintf(&said, "Left out: %s.\n", why)
	}
	return said.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
