package liveness

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/runtime"
)

const (
	firstRetry = 100 * time.Millisecond
	// longestRetry is how long an engine may be back before anybody knows. It costs little: a socket that leads nowhere
	// says so at once.
	longestRetry = 2 * time.Second
	// silence ends a stream that says nothing for so long: an idle one costs a reconnection, a half-open one is found
	// (case B022). What happened in between is asked for again by its time, and duplicates do no harm.
	silence = 25 * time.Second
)

var (
	errNoEvents = errors.New("this engine streams no events")
	errSilence  = errors.New("event stream was silent")
	errEnded    = errors.New("event stream ended")
)

// Follow listens to one host's events until ctx ends, and connects again whenever the stream breaks. Every connection
// begins with a look over the host: an event is only ever a reason to look, and a missed one costs no more than a pass. So
// does the first failure to connect: the engine may be down, and nobody else asks it for a while.
func (k *Keeper) Follow(ctx context.Context, name string) {
	if !k.acts.begin() {
		return
	}
	defer k.acts.done()
	var since time.Time
	stood := true
	for wait := firstRetry; ctx.Err() == nil; wait = min(2*wait, longestRetry) {
		began := time.Now()
		last, stands, err := k.stream(ctx, name, since)
		if errors.Is(err, errNoEvents) {
			return
		}
		if stood && !stands && ctx.Err() == nil {
			k.acts.Go(func() { k.LookOver(k.life, name, journal.OnEvent) })
		}
		stood = stands
		if last.After(since) {
			since = last
		}
		if time.Since(began) >= silence {
			wait = firstRetry
		}
		k.Log.Debug("event stream ended", "host", name, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

// stream follows one connection, and returns the engine's time of its last event, and whether it ever stood.
func (k *Keeper) stream(ctx context.Context, name string, since time.Time) (last time.Time, stood bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := k.subscribe(ctx, name, since)
	if err != nil {
		return last, false, err
	}
	k.acts.Go(func() { k.LookOver(k.life, name, journal.OnEvent) })
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return last, true, errEnded
			}
			if event.Err != nil {
				return last, true, event.Err
			}
			last = event.Time
			quiet.Reset(silence)
			k.hint(ctx, name, event)
		case <-quiet.C:
			return last, true, errSilence
		case <-ctx.Done():
			return last, true, ctx.Err()
		}
	}
}

func (k *Keeper) subscribe(ctx context.Context, name string, since time.Time) (<-chan runtime.Event, error) {
	host, err := k.Fleet.Host(name)
	if err != nil {
		return nil, err
	}
	source, ok := host.Engine.(runtime.EventSource)
	if !ok || host.Quiet {
		return nil, errNoEvents
	}
	return source.Events(ctx, since)
}
