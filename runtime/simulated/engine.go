package simulated

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Engine is one client of a world, and the socket in between. It implements runtime.Engine, runtime.Inspector and
// runtime.EventSource.
type Engine struct {
	instance string

	mu      sync.Mutex // guards the fields below
	world   *World
	scripts []*script
	calls   []*Call
	cut     chan struct{} // closed and replaced when the event streams are cut
	closed  bool
}

var (
	_ runtime.Engine      = (*Engine)(nil)
	_ runtime.Inspector   = (*Engine)(nil)
	_ runtime.EventSource = (*Engine)(nil)
)

// New makes a client for an instance of Fairlead. Several may share a world, as two Fairleads, or one that was started
// again, share a daemon.
func New(instance string, world *World) *Engine {
	return &Engine{instance: instance, world: world, cut: make(chan struct{})}
}

// World is what is behind the socket now.
func (e *Engine) World() *World {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.world
}

// Swap puts another world behind the same socket. Event streams end.
func (e *Engine) Swap(world *World) {
	e.mu.Lock()
	e.world = world
	e.mu.Unlock()
	e.CutEvents()
}

// Close lifts all faults and ends the event streams; the world goes on.
func (e *Engine) Close() error {
	e.Heal()
	e.CutEvents()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}

// Running returns the truth about an app: its running containers.
func (e *Engine) Running(app string) []runtime.Container { return e.World().Running(app) }

// All returns the truth about everything that exists.
func (e *Engine) All() []runtime.Container { return e.World().All() }

func (e *Engine) Info(ctx context.Context) (runtime.Info, error) {
	return ask(ctx, e, Info, "", func(w *World, answer func(runtime.Info, error)) { answer(w.info(), nil) })
}

func (e *Engine) Identity(ctx context.Context) (string, error) {
	return ask(ctx, e, Identity, "", func(w *World, answer func(string, error)) { answer(w.info().Identity, nil) })
}

func (e *Engine) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	look := func(_ *World, answer func(runtime.Report, error)) {
		answer(runtime.Look(ctx, e, e.instance, queries))
	}
	return ask(ctx, e, Look, "", look)
}

// List tells as little as a real engine's listing does: no start, no exit code, no addresses.
func (e *Engine) List(ctx context.Context) ([]runtime.Container, error) {
	return ask(ctx, e, List, "", func(w *World, answer func([]runtime.Container, error)) { answer(e.listing(w), nil) })
}

func (e *Engine) listing(w *World) []runtime.Container {
	var listed []runtime.Container
	for _, c := range w.everything() {
		about := subject{c.ID, c.Name, c.Labels[runtime.LabelApp]}
		shown, there := e.shown(List, c)
		ours := shown.Labels[runtime.LabelInstance] == e.instance || e.lie(List, about, Unfiltered) != nil
		if !there || !ours || e.lie(List, about, Omit) != nil {
			continue
		}
		listed = append(listed, summary(shown))
	}
	return listed
}

func summary(c runtime.Container) runtime.Container {
	return runtime.Container{ID: c.ID, Name: c.Name, Image: c.Image, Labels: c.Labels, Status: c.Status}
}

// Labelled lists by any label, as truthfully as List does.
func (e *Engine) Labelled(ctx context.Context, label string) ([]runtime.Container, error) {
	key, value, valued := strings.Cut(label, "=")
	return ask(ctx, e, List, "", func(w *World, answer func([]runtime.Container, error)) {
		var listed []runtime.Container
		for _, c := range w.everything() {
			shown, there := e.shown(List, c)
			if has, carries := shown.Labels[key]; there && carries && (!valued || has == value) {
				listed = append(listed, summary(shown))
			}
		}
		answer(listed, nil)
	})
}

// shown is what the engine believes about a container: the truth, or what it was before a death that it has not
// noticed yet.
func (e *Engine) shown(op Op, c known) (shown runtime.Container, there bool) {
	late := !c.died.IsZero() && !c.Runs() && !c.Frozen()
	if late {
		about := subject{c.ID, c.Name, c.Labels[runtime.LabelApp]}
		if s := e.lie(op, about, LateDeath); s != nil && c.fate >= s.since && time.Since(c.died) < s.Delay {
			return c.ran, true
		}
	}
	return c.Container, !c.parted
}

func (e *Engine) Inspect(ctx context.Context, idOrName string) (runtime.Container, error) {
	if err := runtime.CheckName(idOrName); err != nil {
		return runtime.Container{}, err
	}
	return ask(ctx, e, Inspect, idOrName, func(w *World, answer func(runtime.Container, error)) {
		answer(e.inspect(w, idOrName))
	})
}

func (e *Engine) inspect(w *World, idOrName string) (runtime.Container, error) {
	c, ok := w.recall(idOrName)
	if !ok {
		return runtime.Container{}, notFound("container", idOrName)
	}
	shown, there := e.shown(Inspect, c)
	if !there {
		return runtime.Container{}, notFound("container", idOrName)
	}
	if e.lie(Inspect, subject{shown.ID, shown.Name, shown.Labels[runtime.LabelApp]}, Swapped) == nil {
		return shown, nil
	}
	for _, other := range w.All() {
		if other.ID != shown.ID {
			return other, nil
		}
	}
	return shown, nil
}

func (e *Engine) Logs(ctx context.Context, id string, options runtime.LogOptions) (io.ReadCloser, error) {
	if err := runtime.CheckName(id); err != nil {
		return nil, err
	}
	return ask(ctx, e, Logs, id, func(w *World, answer func(io.ReadCloser, error)) {
		answer(w.logs(ctx, id, options))
	})
}
