package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

func TestAlreadySo(t *testing.T) {
	s := newStub(made("c1", "r1", runtime.StatusPaused))
	settle := func(ctx context.Context, failure error, wanted func(runtime.Container) bool) error {
		return runtime.AlreadySo(ctx, s, "c1", failure, wanted)
	}
	if err := settle(t.Context(), errEngine, runtime.Container.Frozen); err != nil {
		t.Errorf("it is as wanted: %v", err)
	}
	if err := settle(t.Context(), errEngine, runtime.Container.Runs); !errors.Is(err, errEngine) {
		t.Errorf("it is not: %v", err)
	}
	if err := settle(t.Context(), nil, runtime.Container.Runs); err != nil {
		t.Errorf("a success stays one: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := settle(over, errEngine, runtime.Container.Frozen); !errors.Is(err, errEngine) {
		t.Errorf("nothing is asked after the end: %v", err)
	}
	s.inspect = fails(errEngine)
	if err := settle(t.Context(), context.DeadlineExceeded, runtime.Container.Frozen); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first failure counts: %v", err)
	}
}

// case B011: a removal that somebody else began is awaited, through errors that say nothing.
func TestAwaitGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub()
		began := time.Now()
		s.inspect = func(context.Context, string) (runtime.Container, error) {
			switch age := time.Since(began); {
			case age < time.Second:
				return made("c1", "r1", runtime.StatusRemoving), nil
			case age < 2*time.Second:
				return runtime.Container{}, errEngine
			}
			return runtime.Container{}, runtime.ErrNotFound
		}
		if err := runtime.AwaitGone(t.Context(), s, "c1"); err != nil || time.Since(began) < 2*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		began = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := runtime.AwaitGone(ctx, s, "c1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want the deadline, got %v", err)
		}
	})
}
