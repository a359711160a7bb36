package simulated

import (
	"fmt"

	"github.com/fairlead/fairlead/runtime"
)

func (w *World) pause(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(id)
	switch {
	case err != nil:
		return err
	case w.options.CannotPause:
		return fmt.Errorf("pause %.12s: %w", c.ID, runtime.ErrUnsupported)
	case c.Status == runtime.StatusPaused:
		return nil
	case c.Status != runtime.StatusRunning:
		return fmt.Errorf("pause %.12s, which is %s: %w", c.ID, c.Status, ErrState)
	}
	c.Status = runtime.StatusPaused
	w.emit(c, runtime.PausedIt)
	return nil
}

func (w *World) unpause(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.find(id)
	switch {
	case err != nil:
		return err
	case c.Status == runtime.StatusRunning:
		return nil
	case c.Status != runtime.StatusPaused:
		return fmt.Errorf("unpause %.12s, which is %s: %w", c.ID, c.Status, ErrState)
	}
	c.Status = runtime.StatusRunning
	w.emit(c, runtime.Unpaused)
	return nil
}
