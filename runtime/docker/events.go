package docker

import (
	"context"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/fairlead/fairlead/runtime"
)

// Events streams what happens to any container, strangers included: a stranger's start may take an address over. The
// daemon filters by type alone, since engines do not agree on the names of actions (case B209).
func (e *Engine) Events(ctx context.Context, since time.Time) (<-chan runtime.Event, error) {
	c, err := e.client(ctx)
	if err != nil {
		return nil, err
	}
	options := events.ListOptions{Filters: filters.NewArgs(
		filters.Arg("type", string(events.ContainerEventType)), filters.Arg("type", string(events.NetworkEventType)))}
	if !since.IsZero() {
		options.Since = fmt.Sprintf("%d.%09d", since.Unix(), since.Nanosecond())
	}
	messages, broken := c.Events(ctx, options)
	normalised := make(chan runtime.Event)
	go forward(ctx, messages, broken, normalised)
	return normalised, nil
}

func forward(ctx context.Context, messages <-chan events.Message, broken <-chan error, out chan<- runtime.Event) {
	defer close(out)
	for {
		var event runtime.Event
		select {
		case m := <-messages:
			action, ok := runtime.ActionOf(string(m.Action))
			if !ok {
				continue
			}
			event = normalise(m, action)
		case err := <-broken:
			event = runtime.Event{Err: err}
		case <-ctx.Done():
			return
		}
		select {
		case out <- event:
		case <-ctx.Done():
			return
		}
		if event.Err != nil {
			return
		}
	}
}

// normalise: a network event names its container in an attribute, and the network as the actor.
func normalise(m events.Message, action runtime.Action) runtime.Event {
	event := runtime.Event{
		Container: m.Actor.ID,
		Name:      m.Actor.Attributes["name"],
		Labels:    m.Actor.Attributes,
		Action:    action,
		Time:      time.Unix(0, m.TimeNano),
	}
	if m.Type == events.NetworkEventType {
		event.Container, event.Name, event.Labels = m.Actor.Attributes["container"], "", nil
	}
	return event
}
