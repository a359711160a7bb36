package timeline

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// lastCause is what the journal's last event of an app gives as its reason.
func (h *house) lastCause(app *pool.App) (cause string) {
	events, _ := h.journal.Since(0)
	for _, e := range events {
		if e.App == app.Name {
			cause = e.Cause
		}
	}
	return cause
}

// We remove an idle container, and the engine's event or the next pass tells of that before the engine's own reply. There
// is one cleanup, and its reason is ours.
func TestOurOwnRemovalIsNoReaping(t *testing.T) {
	for name, late := range map[string]time.Duration{"an event is faster": time.Second, "a pass is faster": 15 * time.Second} {
		t.Run(name, func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				if late < 10*time.Second {
					h.follow()
				}
				app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
				h.engine().Fault(simulated.Fault{On: simulated.Remove, Kind: simulated.LateReply, Delay: late})
				h.warm(app)
				h.after(6*time.Second + late - time.Second/2)
				if late < 10*time.Second {
					h.wantStates(app) // the reply is on its way still
				}
				h.after(time.Minute)
				h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStopped)
				if got := h.lastCause(app); got != journal.CauseIdle {
					t.Errorf("the cause is %q", got)
				}
				h.wantContainers(app, 0)
			})
		})
	}
}

// A container that is only to be stopped, and that somebody removes meanwhile, is reaped: that was not us.
func TestRemovedWhileWeStopIt(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) {
			p.Idle, p.Sleep = 5*time.Second, pool.SleepStop
		})
		h.engine().Fault(simulated.Fault{On: simulated.Stop, Kind: simulated.Slow, Delay: 3 * time.Second})
		row := h.warm(app)
		h.after(7 * time.Second)
		h.wantStates(app, pool.Draining)
		h.must(h.world().RemoveForce(row.Container))
		h.after(time.Minute)
		h.wantStates(app)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaReaped)
	})
}
