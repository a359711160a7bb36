package simulated

import (
	"fmt"
	"strconv"
	"time"
)

// doom arranges the end of a run that ends by itself: the image says so, or the command is "exit CODE". It needs the
// lock.
func (w *World) doom(c *container) {
	code, in := c.image.ExitCode, c.image.CrashAfter
	if given, exits := exits(c.spec.Command); exits {
		code, in = given, 0
	} else if !c.image.Crashes {
		return
	}
	id, start := c.ID, c.Start
	c.crash = time.AfterFunc(in, func() { w.crash(id, start, code) })
}

func exits(command []string) (code int, yes bool) {
	if len(command) != 2 || command[0] != "exit" {
		return 0, false
	}
	code, err := strconv.Atoi(command[1])
	return code, err == nil
}

func (w *World) crash(id, start string, code int) {
	w.mu.Lock()
	if c, err := w.find(id); err == nil && c.Start == start && c.alive() {
		c.log = fmt.Appendf(c.log, "%sexit %d\n", c.image.CrashLog, code)
	}
	w.mu.Unlock()
	_ = w.killNow(id, start, code) // it may have been removed meanwhile
}

// crashSoon ends the present run.
func (w *World) crashSoon(id string, in time.Duration) {
	c, exists := w.Container(id)
	if exists && c.Runs() {
		after(in, func() { w.crash(id, c.Start, 1) })
	}
}
