package timeline

import (
	"context"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Run returns though probes are out that never pass, and though a request whose look began them is long over.
func TestRunEndsWithProbesOut(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		h.warm(app)
		lease := h.served(app)
		h.must(h.world().Pause(lease.Upstream.Container))
		gone, cancel := context.WithCancel(context.Background())
		cancel() // the visitor left
		h.keeper.Failed(gone, lease, context.Canceled)
		lease.Release()
		began := time.Now()
		h.kill()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %s", took)
		}
	})
}

// The same with an engine that is silent: the probe is all that is left, and nobody looks any more.
func TestRunEndsWithASilentEngine(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.engine().Fault(simulated.Fault{Kind: simulated.Hang})
		h.must(h.world().Kill(lease.Upstream.Container))
		h.keeper.Failed(context.Background(), lease, context.DeadlineExceeded)
		h.after(5 * time.Second)
		began := time.Now()
		h.kill()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %s", took)
		}
	})
}

// A failure that is reported after the end is harmless.
func TestFailedAfterTheEnd(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		app := h.add("hello", simulated.Image{}, nil)
		lease := h.served(app)
		h.kill()
		h.must(h.world().Kill(lease.Upstream.Container))
		h.keeper.Failed(context.Background(), lease, context.Canceled)
		h.after(time.Minute)
	})
}

// Run of a scaler returns when what it began has settled or given up: no call is in flight any more.
func TestNoCallOutlivesTheScaler(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		starting := h.add("starting", simulated.Image{StartTime: 20 * time.Second}, nil)
		stopping := h.add("stopping", simulated.Image{StopTime: 8 * time.Second}, func(p *pool.Policy) { p.Idle = time.Second })
		h.warm(stopping)
		h.waits(starting)
		h.after(3 * time.Second)
		h.wantStates(starting, pool.Starting)
		h.wantStates(stopping, pool.Draining)
		h.kill()
		for _, call := range h.engine().Calls() {
			if !call.Done {
				t.Errorf("%s of %s is in flight", call.On, call.App)
			}
		}
	})
}

// An app that leaves does not wait for what others have begun.
func TestLeavingAppWaitsForNobody(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		slow := h.add("slow", simulated.Image{StartTime: 50 * time.Second}, func(p *pool.Policy) { p.Min = 1 })
		app := pool.NewApp("hello", policy(nil))
		h.pool.Add(app)
		ctx, leave := context.WithCancel(h.ctx)
		left := make(chan struct{})
		go func() {
			h.scaler.Run(ctx, app)
			close(left)
		}()
		h.after(time.Second)
		began := time.Now()
		leave()
		<-left
		if took := time.Since(began); took > 0 {
			t.Errorf("the loop ended after %s", took)
		}
		h.wantStates(slow, pool.Starting)
	})
}
