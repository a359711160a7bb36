package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// streamsEvents: the normalised actions of one life, in order (cases B032, B209). Engines differ in what they send
// between these. What happened while nobody listened comes with since.
func streamsEvents(t *testing.T, b bench) {
	source, ok := b.Engine.(runtime.EventSource)
	if !ok {
		t.Skip("this engine streams no events")
	}
	events, hangUp := b.listen(source, time.Time{})
	first := b.serving("r1")
	b.must("remove", b.Outside.Remove(b.ctx, first.ID))
	last := b.follow(events, first)
	hangUp()

	unheard := b.serving("r2")
	b.must("remove", b.Outside.Remove(b.ctx, unheard.ID))
	events, hangUp = b.listen(source, last)
	b.follow(events, unheard)
	hangUp()
}

func (b bench) listen(source runtime.EventSource, since time.Time) (<-chan runtime.Event, func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	events, err := source.Events(ctx, since)
	if err != nil {
		cancel()
		b.Fatalf("events: %v", err)
	}
	return events, func() {
		cancel()
		for range events { // ends only when the channel is closed
		}
	}
}

// follow reads one container's life and returns the time of its end.
func (b bench) follow(events <-chan runtime.Event, c runtime.Container) time.Time {
	b.Helper()
	life := []runtime.Action{runtime.Created, runtime.Started, runtime.Died, runtime.Removed}
	for seen := range events {
		if seen.Err != nil {
			b.Fatalf("stream: %v", seen.Err)
		}
		if seen.Container != c.ID || !slices.Contains(life, seen.Action) {
			continue
		}
		if seen.Action != life[0] || seen.Time.IsZero() || seen.Labels[runtime.LabelApp] != b.app || seen.Name != c.Name {
			b.Fatalf("want %s of %s with its labels, got %+v", life[0], c.Name, seen)
		}
		if life = life[1:]; len(life) == 0 {
			return seen.Time
		}
	}
	b.Fatalf("the stream ended before %v", life)
	return time.Time{}
}
