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

var errEngine = errors.New("500 internal server error")

func ask(id string) runtime.Query {
	return runtime.Query{Replica: "r-" + id, Container: id, Identity: home, Version: 3}
}

// P1: only an authoritative Missing says Missing; everything that goes wrong is Unknown (case B005).
func TestLookVerdicts(t *testing.T) {
	running := made("c1", "r1", runtime.StatusRunning)
	tests := map[string]struct {
		prepare func(*stub)
		query   runtime.Query
		want    runtime.Verdict
		cause   string
	}{
		"running": {query: ask("c1"), want: runtime.Running},
		"exited": {
			prepare: func(s *stub) { s.listed[0].Status = runtime.StatusExited },
			query:   ask("c1"), want: runtime.Stopped,
		},
		"paused": {
			prepare: func(s *stub) { s.listed[0].Status = runtime.StatusPaused },
			query:   ask("c1"), want: runtime.Paused,
		},
		"a state nobody knows": {
			prepare: func(s *stub) { s.listed[0].Status = "melting" },
			query:   ask("c1"), want: runtime.Unknown,
		},
		"gone": {query: ask("c9"), want: runtime.Missing},
		"absent from the list but inspected": {
			prepare: func(s *stub) { s.listed = nil; s.inspect = answers(running) },
			query:   ask("c1"), want: runtime.Running,
		},
		"listed but 404": {
			prepare: func(s *stub) { s.inspect = fails(runtime.ErrNotFound) },
			query:   ask("c1"), want: runtime.Unknown, cause: "not found",
		},
		"failed inspect": {
			prepare: func(s *stub) { s.listed = nil; s.inspect = fails(errEngine) },
			query:   ask("c1"), want: runtime.Unknown, cause: errEngine.Error(),
		},
		"timeout": {
			prepare: func(s *stub) { s.listed = nil; s.inspect = fails(context.DeadlineExceeded) },
			query:   ask("c1"), want: runtime.Unknown, cause: "timeout",
		},
		"another container's answer": {
			prepare: func(s *stub) { s.inspect = answers(made("c2", "r2", runtime.StatusRunning)) },
			query:   ask("c1"), want: runtime.Unknown, cause: "asked for c1, got c2",
		},
		"another engine": {
			prepare: func(s *stub) { s.identities = []string{"engine-2"} },
			query:   ask("c9"), want: runtime.Unknown, cause: "identity",
		},
		"another engine, exchanged during the look": {
			prepare: func(s *stub) { s.identities = []string{home, "engine-2"} },
			query:   ask("c9"), want: runtime.Unknown, cause: "identity",
		},
		"gone, of an engine unknown so far": {
			query: runtime.Query{Replica: "r9", Container: "c9"}, want: runtime.Unknown, cause: "not found",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStub(running)
			if test.prepare != nil {
				test.prepare(s)
			}
			for _, alone := range []bool{false, true} {
				test.query.Alone = alone
				got := lookAt(t, s, test.query)
				if got.Verdict != test.want || test.cause != "" && got.Cause != test.cause && !errorTail(got.Cause, test.cause) {
					t.Errorf("alone %v: want %s %q, got %s %q", alone, test.want, test.cause, got.Verdict, got.Cause)
				}
			}
		})
	}
}

func errorTail(text, tail string) bool {
	return len(text) > len(tail) && text[len(text)-len(tail):] == tail
}

func answers(c runtime.Container) func(context.Context, string) (runtime.Container, error) {
	return func(context.Context, string) (runtime.Container, error) { return c, nil }
}

func fails(err error) func(context.Context, string) (runtime.Container, error) {
	return func(context.Context, string) (runtime.Container, error) { return runtime.Container{}, err }
}

func lookAt(t *testing.T, s *stub, q runtime.Query) runtime.Observation {
	t.Helper()
	report, err := runtime.Look(t.Context(), s, "main", []runtime.Query{q})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Observations) != 1 || report.Observations[0].Query != q {
		t.Fatalf("want the one query back, got %+v", report.Observations)
	}
	return report.Observations[0]
}

// Whoever has the container is the engine that made it: nobody asks who it is, which Podman takes long to say.
func TestLookAtOneThatIsThere(t *testing.T) {
	s := newStub(made("c1", "r1", runtime.StatusRunning))
	s.identity = errEngine
	q := ask("c1")
	q.Alone = true
	if o := lookAt(t, s, q); o.Verdict != runtime.Running {
		t.Errorf("got %s, %s", o.Verdict, o.Cause)
	}
	q.Container = "c9"
	if report, err := runtime.Look(t.Context(), s, "main", []runtime.Query{q}); !errors.Is(err, errEngine) {
		t.Errorf("one that is not there takes the identity: %+v, %v", report, err)
	}
}

// P1: an engine that does not say who it is, or does not list, concludes nothing about anybody.
func TestLookFailsAsAWhole(t *testing.T) {
	for name, prepare := range map[string]func(*stub){
		"no identity": func(s *stub) { s.identity = errEngine },
		"no listing":  func(s *stub) { s.list = errEngine },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub()
			prepare(s)
			report, err := runtime.Look(t.Context(), s, "main", []runtime.Query{ask("c1")})
			if !errors.Is(err, errEngine) || len(report.Observations) > 0 {
				t.Errorf("want the engine's error and no report, got %v, %+v", err, report)
			}
		})
	}
}

// An engine that lost its id file lists our containers under a new identity: it is the same one.
func TestLookLearnsIdentity(t *testing.T) {
	s := newStub(made("c1", "r1", runtime.StatusRunning))
	s.identities = []string{"engine-1 renamed"}
	queries := []runtime.Query{ask("c1"), ask("c9"), {Replica: "r3", Container: "c3", Identity: "a stranger's"}}
	report, err := runtime.Look(t.Context(), s, "main", queries)
	if err != nil {
		t.Fatal(err)
	}
	want := []runtime.Verdict{runtime.Running, runtime.Missing, runtime.Unknown}
	for i, o := range report.Observations {
		if o.Verdict != want[i] {
			t.Errorf("%s: want %s, got %s (%s)", o.Replica, want[i], o.Verdict, o.Cause)
		}
	}
	if report.Identity != "engine-1 renamed" {
		t.Errorf("the report hides the new identity: %q", report.Identity)
	}
}

// P9: labels and name; a stranger with our labels is not ours, and a row in creation has no id yet.
func TestLookDiscovers(t *testing.T) {
	stranger := made("c2", "r2", runtime.StatusRunning)
	stranger.Name = "somebody's"
	other := made("c3", "r3", runtime.StatusRunning)
	other.Labels[runtime.LabelInstance] = "other"
	listed := []runtime.Container{
		made("c1", "r1", runtime.StatusRunning), stranger, other,
		made("c4", "r4", runtime.StatusExited), made("c5", "r5", runtime.StatusRunning), made("c6", "r6", runtime.StatusRunning),
	}
	queries := []runtime.Query{{Replica: "r5", Identity: home}, {Replica: "else", Container: "c6", Identity: home}}
	report, err := runtime.Look(t.Context(), newStub(listed...), "main", queries)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(report.Discovered); !slices.Equal(got, []string{"c1", "c4"}) {
		t.Errorf("want c1 and c4, got %v", got)
	}
}

// P2: a running container that cannot be inspected counts all the same; one that is gone by now does not.
func TestLookDiscoversTheUninspected(t *testing.T) {
	s := newStub(made("c1", "r1", runtime.StatusRunning), made("c2", "r2", runtime.StatusExited),
		made("c3", "r3", runtime.StatusRunning))
	for i := range s.listed {
		s.listed[i].Start = ""
	}
	s.inspect = func(_ context.Context, id string) (runtime.Container, error) {
		if id == "c3" {
			return runtime.Container{}, runtime.ErrNotFound
		}
		return runtime.Container{}, errEngine
	}
	report, err := runtime.Look(t.Context(), s, "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(report.Discovered); !slices.Equal(got, []string{"c1"}) || report.Discovered[0].Start != "" {
		t.Errorf("want c1 alone, without a start; got %+v", report.Discovered)
	}
}

func ids(containers []runtime.Container) []string {
	var found []string
	for _, c := range containers {
		found = append(found, c.ID)
	}
	return found
}

// A stuck container makes its own row Unknown, and no other.
func TestLookBoundsEachInspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(made("c1", "r1", runtime.StatusRunning), made("c2", "r2", runtime.StatusRunning))
		quick := s.inspect
		s.inspect = func(ctx context.Context, id string) (runtime.Container, error) {
			if id == "c2" {
				return quick(ctx, id)
			}
			<-ctx.Done()
			return runtime.Container{}, ctx.Err()
		}
		began := time.Now()
		report, err := runtime.Look(t.Context(), s, "main", []runtime.Query{ask("c1"), ask("c2")})
		if err != nil {
			t.Fatal(err)
		}
		if stuck := report.Observations[0]; stuck.Verdict != runtime.Unknown || stuck.Cause != "timeout" {
			t.Errorf("stuck: %+v", stuck)
		}
		if report.Observations[1].Verdict != runtime.Running {
			t.Errorf("its neighbour: %+v", report.Observations[1])
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the look took %s", took)
		}
	})
}

// A confirmation of one container costs one inspect, as long as that is certain.
func TestLookAlone(t *testing.T) {
	s := newStub(made("c1", "r1", runtime.StatusRunning))
	q := ask("c1")
	q.Alone = true
	lookAt(t, s, q)
	if s.listings != 0 || len(s.inspected) != 1 {
		t.Errorf("want one inspect, got %d listings and inspects of %v", s.listings, s.inspected)
	}
	gone := ask("c9")
	gone.Alone = true
	if o := lookAt(t, s, gone); o.Verdict != runtime.Missing || s.listings != 1 {
		t.Errorf("want Missing after a listing, got %s after %d", o.Verdict, s.listings)
	}
}
