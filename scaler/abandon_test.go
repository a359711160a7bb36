package scaler

import (
	"context"
	"log/slog"
	"testing"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// shelf is an engine with one container, which may be looked at and removed.
type shelf struct {
	runtime.Engine
	holds   runtime.Container
	removed bool
}

func (s *shelf) Inspect(context.Context, string) (runtime.Container, error) { return s.holds, nil }

func (s *shelf) Remove(_ context.Context, id string, force bool) error {
	s.removed = id == s.holds.ID && !force
	return nil
}

// What Fairlead's end cut off before it ran is removed; what runs, or is another's, stays.
func TestAbandon(t *testing.T) {
	const name = "fairlead-main-hello-r1"
	labels := map[string]string{runtime.LabelInstance: "main", runtime.LabelApp: "hello", runtime.LabelReplica: "r1"}
	created := runtime.Container{ID: "c1", Name: name, Labels: labels, Status: runtime.StatusCreated}
	ran, stranger := created, created
	ran.Status, ran.Start = runtime.StatusRunning, "s1"
	stranger.Labels = nil
	row, err := pool.NewApp("hello", pool.Policy{Max: 1}).Reserve("r1", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		what  string
		ctx   context.Context
		holds runtime.Container
		gone  bool
	}{
		{"never ran", over, created, true},
		{"runs", over, ran, false},
		{"a stranger's", over, stranger, false},
		{"Fairlead goes on", t.Context(), created, false},
	} {
		engine := &shelf{holds: test.holds}
		s := &Scaler{Instance: "main", Log: slog.New(slog.DiscardHandler)}
		s.abandon(test.ctx, row, &runtime.Host{Engine: engine}, name)
		if engine.removed != test.gone {
			t.Errorf("%s: removed %v", test.what, engine.removed)
		}
	}
}
