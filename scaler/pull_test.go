package scaler

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// registry is an engine whose pulls take a second each.
type registry struct {
	runtime.Engine
	pulls atomic.Int32
}

func (r *registry) Pull(context.Context, string, runtime.PullPolicy) error {
	r.pulls.Add(1)
	time.Sleep(time.Second)
	return nil
}

// Starts that want an image at the same moment share a pull. One that must ask the registry is not served by one that never
// does.
func TestPullsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, s := &registry{}, &Scaler{}
		var starts sync.WaitGroup
		for _, policy := range []runtime.PullPolicy{runtime.PullNever, runtime.PullAlways, runtime.PullNever, runtime.PullAlways} {
			order := Order{Spec: runtime.Spec{Image: "localhost/hello:latest"}, Pull: policy}
			starts.Go(func() {
				if err := s.pull(t.Context(), &runtime.Host{Name: "h1", Engine: engine}, order); err != nil {
					t.Error(err)
				}
			})
		}
		starts.Wait()
		if n := engine.pulls.Load(); n != 2 {
			t.Errorf("%d pulls, want one for each policy", n)
		}
	})
}
