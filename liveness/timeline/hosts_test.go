package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// perHost counts an app's rows by host.
func perHost(app *pool.App) string {
	counts := map[string]int{}
	for _, row := range app.Snapshot().Rows {
		counts[row.Host]++
	}
	return fmt.Sprint(counts)
}

func wantPerHost(t *testing.T, app *pool.App, want string) {
	t.Helper()
	if got := perHost(app); got != want {
		t.Errorf("%s is on %s, want %s", app.Name, got, want)
	}
}

// Replicas go by weight, and a host takes no more than its max_containers, all apps counted.
func TestWeightsAndLimits(t *testing.T) {
	live(t, 3, func(t *testing.T, h *house) {
		h.hosts[1].Weight, h.hosts[2].MaxContainers = 2, 1
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 7, 7 })
		h.after(2 * time.Second)
		wantPerHost(t, app, "map[h0:2 h1:4 h2:1]")
		other := h.add("other", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max = 2, 2 })
		h.after(2 * time.Second)
		wantPerHost(t, other, "map[h0:1 h1:1]")
	})
}

// One host is cut off: what is there serves on, what is elsewhere is unaffected, and new replicas go elsewhere (P1, P8).
func TestOneHostCutOff(t *testing.T) {
	live(t, 2, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Max, p.Seats = 2, 4, 1 })
		h.after(2 * time.Second)
		wantPerHost(t, app, "map[h0:1 h1:1]")
		h.engines[0].Fault(simulated.Fault{Kind: simulated.Hang})
		h.after(30 * time.Second)
		h.wantStates(app, pool.Ready, pool.Ready)
		first, second := h.served(app), h.served(app)
		third := h.served(app)
		for _, lease := range []pool.Lease{first, second, third} {
			if err := h.dial(lease); err != nil {
				t.Error(err)
			}
		}
		wantPerHost(t, app, "map[h0:1 h1:2]")
		h.wantCreates(3)
		h.engines[0].Heal()
		h.after(15 * time.Second)
		h.wantWords(app, journal.ReplicaStarted, journal.ReplicaStarted, journal.ReplicaStarted)
	})
}

// P6: one host hangs, whatever its callers' contexts say. What happens on another one is seen and mended as soon as ever.
func TestHungHostDelaysNoOther(t *testing.T) {
	for _, kind := range []simulated.Trouble{simulated.Hang, simulated.Deaf} {
		t.Run(kind.String(), func(t *testing.T) {
			live(t, 2, func(t *testing.T, h *house) {
				app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Hosts = 1, []string{"h1"} })
				h.after(time.Second)
				defer h.engines[0].Fault(simulated.Fault{On: simulated.Look, Kind: kind})()
				for range 5 {
					row := h.row(app)
					h.must(h.engines[1].World().RemoveForce(row.Container))
					began := time.Now()
					for h.row(app).ID == row.ID || !h.row(app).Serves() {
						time.Sleep(100 * time.Millisecond)
						if len(app.Snapshot().Rows) == 0 {
							time.Sleep(time.Millisecond)
						}
					}
					if took := time.Since(began); took > 10600*time.Millisecond {
						t.Errorf("replaced after %s", took)
					}
				}
			})
		})
	}
}

// P6: a hung pull, create, start, stop (case B202) or removal of one app delays no other.
func TestHungCallDelaysNoOtherApp(t *testing.T) {
	for _, on := range []simulated.Op{simulated.Pull, simulated.Create, simulated.Start, simulated.Stop, simulated.Remove,
		simulated.Logs, simulated.Inspect} {
		t.Run(on.String(), func(t *testing.T) {
			live(t, 1, func(t *testing.T, h *house) {
				idle := func(p *pool.Policy) { p.Idle = 5 * time.Second }
				hung, app := h.add("hung", simulated.Image{}, idle), h.add("hello", simulated.Image{}, idle)
				fault := simulated.Fault{On: on, App: "hung", Kind: simulated.Hang}
				if on == simulated.Pull { // it is about an image
					fault.App, fault.Container = "", image("hung")
				}
				if on == simulated.Stop || on == simulated.Remove || on == simulated.Logs {
					h.warm(hung)
				}
				h.engine().Fault(fault)
				h.waits(hung)
				for range 3 {
					began := time.Now()
					h.warm(app)
					if took := time.Since(began); took > time.Second {
						t.Errorf("the other app woke after %s", took)
					}
					h.after(7 * time.Second)
					h.wantStates(app)
				}
				if rows := hung.Snapshot().Rows; len(rows) > 1 {
					t.Errorf("the hung app has %d rows", len(rows))
				}
			})
		})
	}
}

// A hung stop keeps its slot (P2), and the app goes on when the engine does.
func TestHungStopKeepsItsSlot(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Idle = 5 * time.Second })
		h.warm(app)
		lift := h.engine().Fault(simulated.Fault{On: simulated.Stop, Kind: simulated.Hang})
		h.after(10 * time.Second)
		if a := h.visit(app, pool.Visitor{}); a.Outcome != pool.Wait {
			t.Errorf("a visitor is %s", a.Outcome)
		}
		h.wantCreates(1)
		lift()
		h.after(time.Second)
		h.warm(app)
		h.wantCreates(2)
		if peak := h.world().Peak("hello"); peak != 1 {
			t.Errorf("%d ran at once", peak)
		}
	})
}

// case B071: one pull per image and host, however many want it; it outlives who asked first.
func TestOnePullPerImage(t *testing.T) {
	live(t, 2, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{Absent: true, PullTime: 50 * time.Second}, func(p *pool.Policy) { p.Min, p.Max = 6, 6 })
		h.after(40 * time.Second)
		if n := h.count(simulated.Pull); n != 2 {
			t.Errorf("%d pulls, want one per host", n)
		}
		h.wantCreates(0)
		h.after(15 * time.Second)
		if n := app.Snapshot().Count(pool.Ready); n != 6 {
			t.Errorf("%d ready\n%s", n, h.story())
		}
	})
}

// Before each host that may run the app has answered once, nothing is started: it may run there already.
func TestNothingStartsBeforeAllAreAccounted(t *testing.T) {
	live(t, 2, func(t *testing.T, h *house) {
		h.kill()
		again := build(t, h.network...)
		defer again.close()
		again.engines[1].Fault(simulated.Fault{Kind: simulated.Refused})
		app := again.add("hello", simulated.Image{}, func(p *pool.Policy) { p.Min = 1 })
		here := again.add("here", simulated.Image{}, func(p *pool.Policy) { p.Min, p.Hosts = 1, []string{"h0"} })
		again.open()
		again.after(time.Minute)
		again.wantStates(app)
		again.wantStates(here, pool.Ready)
		again.engines[1].Heal()
		again.after(5 * time.Second)
		again.wantStates(app, pool.Ready)
	})
}
