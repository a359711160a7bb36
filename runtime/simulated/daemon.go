package simulated

import "time"

// What happens to the engine as a whole.

// Down stops the daemon: calls are refused and event streams end. With keep, its containers live on without it.
func (w *World) Down(keep bool) {
	w.mu.Lock()
	w.down = true
	w.notify()
	w.mu.Unlock()
	if keep {
		return
	}
	for _, c := range w.All() {
		_ = w.killNow(c.ID, "", 0) // what does not run needs no end
	}
}

// Up starts the daemon again. Containers that ended stay as they are: Fairlead creates them with restart policy no.
func (w *World) Up() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
	w.notify()
}

// RestartDaemon is Down, and Up after that long.
func (w *World) RestartDaemon(down time.Duration, keep bool) {
	w.Down(keep)
	after(down, w.Up)
}

// SetIdentity lets the same world answer under a new identity, as after the loss of the engine's id file.
func (w *World) SetIdentity(identity string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.identity = identity
}
