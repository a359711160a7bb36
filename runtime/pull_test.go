package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// registry is an engine whose fetch takes steps.
type registry struct {
	local   error // of Image
	steps   int
	pause   time.Duration // before each step, and before the end
	fetch   error
	fetched int
}

func (r *registry) Image(context.Context, string) (runtime.Image, error) {
	return runtime.Image{}, r.local
}

func (r *registry) Fetch(ctx context.Context, _ string, progress func()) error {
	r.fetched++
	for range r.steps + 1 {
		select {
		case <-time.After(r.pause):
			progress()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.fetch
}

func TestPullPolicies(t *testing.T) {
	absent := runtime.ErrNotFound
	tests := []struct {
		policy  runtime.PullPolicy
		local   error
		fetch   error
		fetches int
		want    error
	}{
		{runtime.PullNever, nil, nil, 0, nil},
		{runtime.PullNever, absent, nil, 0, absent},
		{"", nil, nil, 0, nil},
		{runtime.PullMissing, nil, errEngine, 0, nil},
		{runtime.PullMissing, absent, nil, 1, nil},
		{runtime.PullMissing, absent, errEngine, 1, errEngine},
		{runtime.PullMissing, errEngine, nil, 0, errEngine},
		{runtime.PullNewer, nil, nil, 1, nil},
		{runtime.PullNewer, nil, errEngine, 1, nil},
		{runtime.PullNewer, absent, errEngine, 1, errEngine},
		{runtime.PullAlways, nil, errEngine, 1, errEngine},
		{"sometimes", nil, nil, 0, runtime.ErrInvalid},
	}
	for _, test := range tests {
		r := &registry{local: test.local, fetch: test.fetch}
		err := runtime.PullAs(t.Context(), r, "nginx", test.policy, time.Minute)
		if !errors.Is(err, test.want) || r.fetched != test.fetches {
			t.Errorf("%q, local %v, fetch %v: got %v after %d fetches", test.policy, test.local, test.fetch, err, r.fetched)
		}
	}
}

// case B071: what moves may take long; what is silent is given up.
func TestPullSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &registry{local: runtime.ErrNotFound, steps: 10, pause: 20 * time.Second}
		if err := runtime.PullAs(t.Context(), slow, "nginx", "", 30*time.Second); err != nil {
			t.Errorf("slow but moving: %v", err)
		}
		began := time.Now()
		silent := &registry{local: runtime.ErrNotFound, pause: time.Hour}
		err := runtime.PullAs(t.Context(), silent, "nginx", "", 0)
		if err == nil || errors.Is(err, context.Canceled) || time.Since(began) != 30*time.Second {
			t.Errorf("silent: %v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		silent.local = nil
		if err := runtime.PullAs(ctx, silent, "nginx", runtime.PullNewer, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want the caller's deadline, got %v", err)
		}
	})
}
