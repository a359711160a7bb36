package simulated

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// What both the engine's calls and the test's hands do to a container. A method that ends in Now is one step under the
// lock; what it leaves to do outside of the lock (closing connections, ending hooks) it returns.

func (w *World) create(spec runtime.Spec, answer func(string, error)) {
	if err := w.check(spec); err != nil {
		answer("", err)
		return
	}
	image, ok := w.image(spec.Image)
	if !ok || image.Absent {
		answer("", notFound("image", spec.Image))
		return
	}
	after(image.CreateTime, func() { answer(w.createNow(spec, image)) })
}

func (w *World) start(id string, answer func(struct{}, error)) {
	w.mu.Lock()
	c, err := w.find(id)
	if err != nil {
		w.mu.Unlock()
		answer(struct{}{}, err)
		return
	}
	takes := c.image.StartTime
	w.mu.Unlock()
	after(takes, func() { answer(struct{}{}, w.startNow(id)) })
}

func (w *World) createNow(spec runtime.Spec, image Image) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if holder, err := w.find(spec.Name); err == nil {
		return "", fmt.Errorf("name %q is in use by %.12s: %w", spec.Name, holder.ID, runtime.ErrConflict)
	}
	c := &container{spec: spec, image: image}
	c.ID, c.Name, c.Image, c.Status = w.newID(), spec.Name, spec.Image, runtime.StatusCreated
	c.Labels = maps.Clone(image.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	maps.Copy(c.Labels, spec.Labels)
	w.mount(c)
	w.containers[c.ID] = c
	w.order = append(w.order, c.ID)
	w.emit(c, runtime.Created)
	return c.ID, nil
}

func (w *World) check(spec runtime.Spec) error {
	for _, name := range spec.Networks {
		if name != "bridge" && !slices.Contains(w.options.Networks, name) {
			return fmt.Errorf("no such network: %s: %w", name, runtime.ErrInvalid)
		}
	}
	return runtime.CheckName(spec.Name)
}

// startNow is a start in two steps, since the hook in between may block.
func (w *World) startNow(id string) error {
	c, run, err := w.prepare(id)
	if c == nil || err != nil {
		return err
	}
	if w.options.OnStart == nil {
		w.begin(c, nil)
		return nil
	}
	addr, unhook := w.options.OnStart(run)
	w.mu.Lock()
	for port := range c.Published {
		c.Published[port] = addr
	}
	w.mu.Unlock()
	if !w.begin(c, unhook) && unhook != nil {
		unhook() // it was removed meanwhile
	}
	return nil
}

// prepare returns nil if there is nothing to do.
func (w *World) prepare(id string) (*container, runtime.Container, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(id)
	if err != nil {
		return nil, runtime.Container{}, err
	}
	if c.Status == runtime.StatusRunning || c.starting {
		return nil, runtime.Container{}, nil
	}
	if c.Status == runtime.StatusPaused || c.Status == runtime.StatusRemoving {
		return nil, runtime.Container{}, fmt.Errorf("start %.12s, which is %s: %w", c.ID, c.Status, ErrState)
	}
	if err := w.attach(c); err != nil {
		return nil, runtime.Container{}, err
	}
	c.starting, c.Start = true, w.stamp()
	return c, c.snapshot(), nil
}

func (w *World) begin(c *container, unhook func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.starting = false
	if c.parted || c.Status == runtime.StatusRemoving {
		w.detach(c)
		return false
	}
	c.Status, c.began, c.unhook = runtime.StatusRunning, time.Now(), unhook
	c.ExitCode, c.OOM, c.FinishedAt, c.health = 0, false, "", ""
	c.log = fmt.Appendf(c.log, "%.12s started\n", c.ID)
	w.peak[c.app()] = max(w.peak[c.app()], w.countRunning(c.app()))
	w.doom(c)
	w.emit(c, runtime.Started)
	return true
}

func (w *World) countRunning(app string) int {
	n := 0
	for _, c := range w.containers {
		if c.app() == app && c.Runs() {
			n++
		}
	}
	return n
}
