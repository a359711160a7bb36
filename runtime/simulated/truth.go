package simulated

import (
	"slices"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// What is true, whatever the engine says; for a test's assertions and checkers.

// All returns every container that exists, oldest first.
func (w *World) All() []runtime.Container {
	return w.where(func(*container) bool { return true })
}

// Running returns an app's running containers, oldest first.
func (w *World) Running(app string) []runtime.Container {
	return w.where(func(c *container) bool { return c.app() == app && c.Runs() })
}

// Of returns an app's containers, running or not, oldest first.
func (w *World) Of(app string) []runtime.Container {
	return w.where(func(c *container) bool { return c.app() == app })
}

// Container returns one by id or exact name.
func (w *World) Container(idOrName string) (c runtime.Container, exists bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.find(idOrName)
	if err != nil {
		return runtime.Container{}, false
	}
	return found.snapshot(), true
}

// Peak says how many containers of an app ever ran at once.
func (w *World) Peak(app string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peak[app]
}

func (w *World) where(holds func(*container) bool) []runtime.Container {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []runtime.Container
	for _, c := range w.list() {
		if holds(c) {
			found = append(found, c.snapshot())
		}
	}
	return found
}

// known is a container as it is, or as it was when it left, with its last run.
type known struct {
	runtime.Container
	ran    runtime.Container
	died   time.Time
	fate   int
	parted bool
}

// everything returns what exists, then what has been removed.
func (w *World) everything() []known {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.list()
	for _, c := range w.gone {
		all = append(all, c)
	}
	told := make([]known, 0, len(all))
	for _, c := range all {
		told = append(told, c.known())
	}
	return told
}

// recall finds a container by id, also one that has been removed, or by exact name.
func (w *World) recall(idOrName string) (known, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, err := w.find(idOrName); err == nil {
		return c.known(), true
	}
	if c, ok := w.gone[idOrName]; ok {
		return c.known(), true
	}
	return known{}, false
}

func (c *container) known() known { return known{c.snapshot(), c.ran, c.died, c.fate, c.parted} }

func (w *World) subject(idOrName string) subject {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, err := w.find(idOrName); err == nil {
		return subject{c.ID, c.Name, c.app()}
	}
	if c, ok := w.gone[idOrName]; ok {
		return subject{c.ID, c.Name, c.app()}
	}
	return subject{id: idOrName, name: idOrName}
}

func (w *World) info() runtime.Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	return runtime.Info{
		Kind: runtime.Simulated, Release: "1.0", API: "1.0", Rootless: w.options.Rootless, Identity: w.identity,
		CgroupV2: true, CanPause: !w.options.CannotPause,
	}
}

// moment counts what has happened so far.
func (w *World) moment() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.events)
}

func (w *World) isDown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.down
}

// describe answers an image inspect.
func (w *World) describe(ref string) (runtime.Image, error) {
	image, ok := w.image(ref)
	if !ok || image.Absent {
		return runtime.Image{}, notFound("image", ref)
	}
	return runtime.Image{ID: "sha256:" + runtime.NormalizeImage(ref), Volumes: slices.Clone(image.Volumes)}, nil
}
