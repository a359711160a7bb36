package simulated

import (
	"slices"
	"strings"

	"github.com/fairlead/fairlead/runtime"
)

// mount makes the volumes that a new container needs: the named ones of its spec, and an anonymous one for each VOLUME
// of the image that the spec does not cover. It needs the lock.
func (w *World) mount(c *container) {
	for _, v := range c.spec.Volumes {
		if v.Source == "" || strings.HasPrefix(v.Source, "/") {
			continue
		}
		c.volumes = append(c.volumes, v.Source)
		if _, known := w.volumes[v.Source]; !known {
			w.volumes[v.Source] = false // not anonymous
		}
	}
	for _, path := range c.image.Volumes {
		if slices.ContainsFunc(c.spec.Volumes, func(v runtime.Volume) bool { return v.Target == path }) {
			continue
		}
		name := w.newID()
		c.volumes = append(c.volumes, name)
		c.AnonymousVolumes++
		w.volumes[name] = true
	}
}

// unmount deletes the anonymous volumes of a container. It needs the lock.
func (w *World) unmount(c *container) {
	for _, name := range c.volumes {
		if w.volumes[name] {
			delete(w.volumes, name)
		}
	}
}

// Volumes names the volumes of a container.
func (w *World) Volumes(idOrName string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(idOrName)
	if err != nil {
		return nil
	}
	return slices.Clone(c.volumes)
}

// HasVolume says whether a volume is there.
func (w *World) HasVolume(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, there := w.volumes[name]
	return there
}

// DanglingVolumes says how many anonymous volumes outlived their container.
func (w *World) DanglingVolumes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	dangling := 0
	for name, anonymous := range w.volumes {
		if anonymous && !w.mounted(name) {
			dangling++
		}
	}
	return dangling
}

func (w *World) mounted(name string) bool {
	for _, c := range w.containers {
		if slices.Contains(c.volumes, name) {
			return true
		}
	}
	return false
}
