package simulated

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// end is a container's death, however it came. The lock is needed; the returned cleanup runs without it.
func (w *World) end(c *container, code int, oom bool) (cleanup func()) {
	c.ran, c.died, c.fate = c.snapshot(), time.Now(), len(w.events)
	if c.crash != nil {
		c.crash.Stop()
	}
	c.Status, c.ExitCode, c.OOM = runtime.StatusExited, code, oom
	c.FinishedAt = c.died.UTC().Format(time.RFC3339Nano)
	w.detach(c)
	conns, unhook := slices.Collect(maps.Keys(c.conns)), c.unhook
	c.conns, c.unhook = nil, nil
	w.emit(c, runtime.Died)
	return func() {
		for _, conn := range conns {
			conn.Close()
		}
		if unhook != nil {
			unhook()
		}
	}
}

// killNow ends the run that start names; an empty start means whichever runs.
func (w *World) killNow(id, start string, code int, signals ...runtime.Action) error {
	w.mu.Lock()
	c, err := w.find(id)
	if err != nil || !c.alive() || (start != "" && c.Start != start) {
		w.mu.Unlock()
		return err
	}
	w.emit(c, signals...)
	cleanup := w.end(c, code, false)
	w.mu.Unlock()
	cleanup()
	return nil
}

// stop signals, waits for the app's own end or for the grace, and answers when the run has ended.
func (w *World) stop(id string, grace time.Duration, answer func(struct{}, error)) {
	w.mu.Lock()
	c, err := w.find(id)
	if err != nil || !c.alive() {
		w.mu.Unlock()
		answer(struct{}{}, err)
		return
	}
	c.Status = runtime.StatusRunning // a stop resumes what is paused, or the signal would not arrive
	w.emit(c, runtime.Stopping)
	start, takes, code := c.Start, c.image.StopTime, 0
	if takes > grace {
		takes, code = grace, 137
	}
	w.mu.Unlock()
	after(takes, func() {
		_ = w.killNow(id, start, code) // gone meanwhile is stopped, too
		w.told(id)
		answer(struct{}{}, nil)
	})
}

// told says that the engine knows of the death: it answers a stop only then.
func (w *World) told(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, err := w.find(id); err == nil && !c.alive() {
		c.fate = unforgettable
	}
}

// removal is how a container is removed.
type removal struct {
	force   bool
	volumes bool // its anonymous volumes, too
	atOnce  bool // whatever the image's RemoveTime
}

func (w *World) remove(idOrName string, how removal, answer func(struct{}, error)) {
	w.mu.Lock()
	c, err := w.find(idOrName)
	if err != nil {
		w.mu.Unlock()
		answer(struct{}{}, nil) // already gone
		return
	}
	if c.alive() && !how.force {
		w.mu.Unlock()
		answer(struct{}{}, fmt.Errorf("remove %.12s: %w", c.ID, runtime.ErrStillRunning))
		return
	}
	cleanup, takes := func() {}, c.image.RemoveTime
	if c.alive() {
		w.emit(c, runtime.Stopping)
		cleanup = w.end(c, 137, false)
	}
	c.Status = runtime.StatusRemoving
	w.mu.Unlock()
	cleanup()
	if how.atOnce {
		takes = 0
	}
	after(takes, func() { w.removed(c, how.volumes); answer(struct{}{}, nil) })
}

func (w *World) removed(c *container, volumes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.parted {
		return
	}
	if volumes {
		w.unmount(c)
	}
	w.forget(c)
	w.emit(c, runtime.Removed)
}
