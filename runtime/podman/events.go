package podman

import (
	"context"
	"errors"
	"time"

	"github.com/containers/podman/v5/pkg/bindings/system"
	"github.com/containers/podman/v5/pkg/domain/entities/types"

	"github.com/fairlead/fairlead/runtime"
)

var errStreamEnded = errors.New("event stream ended")

// Events streams what happens to any container, strangers included: a stranger's start may take an address over. The
// service filters by type alone: before Podman 5 it knows actions by libpod's names only (cases B032, B209). An event of a
// network names the container that was joined or parted as its actor, unlike Docker's.
func (e *Engine) Events(ctx context.Context, since time.Time) (<-chan runtime.Event, error) {
	bound, err := e.bind(ctx)
	if err != nil {
		return nil, err
	}
	options := new(system.EventsOptions).WithStream(true).WithFilters(map[string][]string{"type": {"container", "network"}})
	if !since.IsZero() {
		options = options.WithSince(since.UTC().Format(time.RFC3339Nano))
	}
	raw := make(chan types.Event)
	if err := system.Events(bound, raw, nil, options); err != nil {
		return nil, explain("events", err)
	}
	normalised := make(chan runtime.Event)
	go forward(ctx, raw, normalised)
	return normalised, nil
}

// forward ends with the stream, or with ctx; the bindings' goroutine behind raw knows no context and must find a reader
// until the ended request has closed the channel.
func forward(ctx context.Context, raw <-chan types.Event, out chan<- runtime.Event) {
	defer close(out)
	for message := range raw {
		action, ok := runtime.ActionOf(string(message.Action))
		if ok && !send(ctx, out, normalise(message, action)) {
			break
		}
	}
	if ctx.Err() == nil {
		send(ctx, out, runtime.Event{Err: errStreamEnded})
	}
	for range raw {
	}
}

func send(ctx context.Context, out chan<- runtime.Event, event runtime.Event) bool {
	select {
	case out <- event:
		return true
	case <-ctx.Done():
		return false
	}
}

func normalise(m types.Event, action runtime.Action) runtime.Event {
	return runtime.Event{
		Container: m.Actor.ID,
		Name:      m.Actor.Attributes["name"],
		Labels:    m.Actor.Attributes,
		Action:    action,
		Time:      time.Unix(0, m.TimeNano),
	}
}
