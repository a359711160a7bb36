package runtime_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// hung is an engine that never answers; deaf, it does not even obey its context.
type hung struct {
	runtime.Engine
	deaf    bool
	release chan struct{}
}

func (h hung) ReplicaLiveness(ctx context.Context, _ []runtime.Query) (runtime.Report, error) {
	if h.deaf {
		<-h.release
		return runtime.Report{Identity: "too late"}, nil
	}
	<-ctx.Done()
	return runtime.Report{}, ctx.Err()
}

// P6: a host that hangs delays nobody else's outcome, and itself is bounded (case B044).
func TestFleetLookSlowHost(t *testing.T) {
	for name, deaf := range map[string]bool{"obeys its context": false, "ignores its context": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				fleet := runtime.NewFleet(
					&runtime.Host{Name: "quick", Engine: newStub(made("c1", "r1", runtime.StatusRunning))},
					&runtime.Host{Name: "slow", Engine: hung{deaf: deaf, release: release}, Timeout: 3 * time.Second})
				began := time.Now()
				settled := map[string]time.Duration{}
				outcomes := map[string]runtime.Outcome{}
				queries := map[string][]runtime.Query{"quick": {ask("c1")}, "slow": {ask("c2")}}
				err := fleet.Look(t.Context(), queries, func(host string, o runtime.Outcome) {
					settled[host], outcomes[host] = time.Since(began), o
				})
				if err != nil {
					t.Fatalf("one host answered: %v", err)
				}
				if settled["quick"] != 0 || outcomes["quick"].Report.Observations[0].Verdict != runtime.Running {
					t.Errorf("quick settled after %s: %+v", settled["quick"], outcomes["quick"])
				}
				if settled["slow"] != 3*time.Second || !errors.Is(outcomes["slow"].Err, context.DeadlineExceeded) {
					t.Errorf("slow settled after %s: %+v", settled["slow"], outcomes["slow"])
				}
			})
		})
	}
}

// P1: nobody answering is an error, never an empty inventory.
func TestFleetLookNobody(t *testing.T) {
	mute := newStub()
	mute.list = errEngine
	fleet := runtime.NewFleet(&runtime.Host{Name: "a", Engine: mute}, &runtime.Host{Name: "b", Engine: mute})
	failed := 0
	err := fleet.Look(t.Context(), nil, func(_ string, o runtime.Outcome) {
		if errors.Is(o.Err, errEngine) {
			failed++
		}
	})
	if err == nil || failed != 2 {
		t.Errorf("want an error and two failed outcomes, got %v and %d", err, failed)
	}
	if err := runtime.NewFleet().Look(t.Context(), nil, nil); err == nil {
		t.Error("a fleet without hosts answered")
	}
}

func TestFleetHosts(t *testing.T) {
	fleet := runtime.NewFleet(&runtime.Host{Name: "b"}, &runtime.Host{Name: "a"})
	if names := fleet.Names(); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("names %v", names)
	}
	if _, err := fleet.Host("c"); !errors.Is(err, runtime.ErrNoHost) {
		t.Errorf("want ErrNoHost, got %v", err)
	}
	fleet.Set(&runtime.Host{Name: "c"})
	if h, err := fleet.Host("c"); err != nil || h.Name != "c" {
		t.Errorf("after Set: %v, %v", h, err)
	}
}
