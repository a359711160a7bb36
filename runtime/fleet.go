package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Host is one configured engine.
type Host struct {
	Name          string
	Engine        Engine
	Timeout       time.Duration // of one look; 0 means 5 s
	Reach         Reach
	Weight        int   // share of new replicas; 0 means 1
	MaxContainers int   // 0: no limit
	Quiet         bool  // its events are not wanted: the periodic pass alone finds out
	Units         Units // of the engine's user, on this machine; nil: there are none
}

func (h *Host) timeout() time.Duration {
	if h.Timeout <= 0 {
		return 5 * time.Second
	}
	return h.Timeout
}

// Fleet is the set of configured hosts. Readers load an immutable map; Set replaces it as a whole.
type Fleet struct {
	hosts atomic.Pointer[map[string]*Host]
}

// NewFleet takes the hosts over.
func NewFleet(hosts ...*Host) *Fleet {
	f := &Fleet{}
	f.Set(hosts...)
	return f
}

// Set replaces all hosts. Engines that are no longer listed are not closed: their calls in flight settle first, and
// who made them closes them.
func (f *Fleet) Set(hosts ...*Host) {
	next := make(map[string]*Host, len(hosts))
	for _, h := range hosts {
		next[h.Name] = h
	}
	f.hosts.Store(&next)
}

// Host returns the host of that name, or ErrNoHost.
func (f *Fleet) Host(name string) (*Host, error) {
	if h, ok := (*f.hosts.Load())[name]; ok {
		return h, nil
	}
	return nil, fmt.Errorf("host %q: %w", name, ErrNoHost)
}

// Names lists the hosts in order.
func (f *Fleet) Names() []string { return slices.Sorted(maps.Keys(*f.hosts.Load())) }

// Outcome is one host's answer to a look: a report, or the reason why the host is Unknown.
type Outcome struct {
	Report Report
	Err    error
	Took   time.Duration
}

// Look asks all hosts at once, each within its own bound, and hands each outcome to settle as it comes, one call at a
// time. A slow host delays nobody else's outcome. It returns when all have settled; an error means that no host at all
// answered, so that the caller never mistakes silence for an empty inventory.
func (f *Fleet) Look(ctx context.Context, queries map[string][]Query, settle func(host string, o Outcome)) error {
	hosts := *f.hosts.Load()
	type named struct {
		host string
		Outcome
	}
	outcomes := make(chan named, len(hosts))
	var asking sync.WaitGroup
	for name, h := range hosts {
		asking.Go(func() { outcomes <- named{name, h.Look(ctx, queries[name])} })
	}
	go closeAfter(&asking, outcomes)
	answered := 0
	for o := range outcomes {
		if o.Err == nil {
			answered++
		}
		settle(o.host, o.Outcome)
	}
	if answered == 0 {
		return errors.New("no host answered")
	}
	return nil
}

func closeAfter[T any](asking *sync.WaitGroup, outcomes chan T) {
	asking.Wait()
	close(outcomes)
}

// Look asks this host alone. An engine that ignores its context is left behind at the bound.
func (h *Host) Look(ctx context.Context, queries []Query) Outcome {
	ctx, cancel := context.WithTimeout(ctx, h.timeout())
	defer cancel()
	began := time.Now()
	answer := make(chan Outcome, 1)
	go func() {
		report, err := h.Engine.ReplicaLiveness(ctx, queries)
		answer <- Outcome{Report: report, Err: err}
	}()
	select {
	case o := <-answer:
		o.Took = time.Since(began)
		return o
	case <-ctx.Done():
		return Outcome{Err: fmt.Errorf("host %q: %w", h.Name, ctx.Err()), Took: time.Since(began)}
	}
}
