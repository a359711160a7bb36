package simulated

import (
	"maps"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// The test's hands: what others do to containers behind Fairlead's back. They take an id or a name, act at once, pass
// no fault, and leave no entry in any record. Their errors are runtime's, for a container that is not there.

// Run creates and starts a container, whoever's it looks like.
func (w *World) Run(spec runtime.Spec) (id string, err error) {
	image, ok := w.image(spec.Image)
	if !ok {
		return "", notFound("image", spec.Image)
	}
	if id, err = w.createNow(spec, image); err != nil {
		return "", err
	}
	return id, w.startNow(id)
}

// Start is `docker start`.
func (w *World) Start(idOrName string) error { return w.startNow(idOrName) }

// Kill ends the container with SIGKILL.
func (w *World) Kill(idOrName string) error { return w.killNow(idOrName, "", 137, runtime.Stopping) }

// Exit ends the container from within, as a crash does.
func (w *World) Exit(idOrName string, code int) error { return w.killNow(idOrName, "", code) }

// OOM ends the container as the kernel does when memory is short.
func (w *World) OOM(idOrName string) error {
	w.mu.Lock()
	c, err := w.find(idOrName)
	if err != nil || !c.alive() {
		w.mu.Unlock()
		return err
	}
	cleanup := w.end(c, 137, true)
	w.mu.Unlock()
	cleanup()
	return nil
}

// Stop is `docker stop` of an app that ends at once on its signal.
func (w *World) Stop(idOrName string) error {
	return w.killNow(idOrName, "", 0, runtime.Stopping)
}

// Restart is `docker restart`: the same id, another start. It is down for that long.
func (w *World) Restart(idOrName string, down time.Duration) error {
	w.mu.Lock()
	c, err := w.find(idOrName)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	if err := w.Stop(c.ID); err != nil {
		return err
	}
	if down <= 0 {
		return w.startNow(c.ID)
	}
	time.AfterFunc(down, func() { _ = w.startNow(c.ID) }) // it may be removed meanwhile
	return nil
}

// Remove is `docker rm`. Like RemoveForce it leaves anonymous volumes behind.
func (w *World) Remove(idOrName string) error { return w.removeAtOnce(idOrName, false) }

// RemoveForce is `docker rm -f`.
func (w *World) RemoveForce(idOrName string) error { return w.removeAtOnce(idOrName, true) }

func (w *World) removeAtOnce(idOrName string, force bool) (err error) {
	if _, exists := w.Container(idOrName); !exists {
		return notFound("container", idOrName)
	}
	w.remove(idOrName, removal{force: force, atOnce: true}, func(_ struct{}, e error) { err = e })
	return err
}

func (w *World) Pause(idOrName string) error { return w.pause(idOrName) }

func (w *World) Unpause(idOrName string) error { return w.unpause(idOrName) }

// Rename is `docker rename`.
func (w *World) Rename(idOrName, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(idOrName)
	if err != nil {
		return err
	}
	c.Name = name
	w.emit(c, runtime.Renamed)
	return nil
}

// Recreate removes a container by force and runs another from the same spec: the same name and labels, a new id.
func (w *World) Recreate(idOrName string) (id string, err error) {
	w.mu.Lock()
	c, err := w.find(idOrName)
	if err != nil {
		w.mu.Unlock()
		return "", err
	}
	spec := c.spec
	w.mu.Unlock()
	if err := w.RemoveForce(c.ID); err != nil {
		return "", err
	}
	return w.Run(spec)
}

// Commit makes an image from a container. It carries the container's labels, and so does every container of it (P9).
func (w *World) Commit(idOrName, image string) error {
	w.mu.Lock()
	c, err := w.find(idOrName)
	if err != nil {
		w.mu.Unlock()
		return err
	}
	made := c.image
	made.Labels = maps.Clone(c.Labels)
	w.mu.Unlock()
	w.SetImage(image, made)
	return nil
}

// SetHealth overrides what the health check says of the present run.
func (w *World) SetHealth(idOrName, status string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(idOrName)
	if err != nil {
		return err
	}
	c.health = status
	w.emit(c, runtime.Health)
	return nil
}
