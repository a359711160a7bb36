package contract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

const (
	// bound is far above what an engine needs, and only ends a hung test.
	bound    = time.Minute
	settling = 10 * time.Second
	grace    = 20 * time.Second
)

// bench is a fixture at work in one part of the suite.
type bench struct {
	*testing.T
	Fixture
	ctx context.Context
	app string
}

func newBench(t *testing.T, fixture Fixture) bench {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	t.Cleanup(cancel)
	words := strings.Fields(t.Name()[strings.LastIndexByte(t.Name(), '/')+1:])
	app := strings.NewReplacer("_", "-").Replace(strings.Join(words, "-"))
	return bench{T: t, Fixture: fixture, ctx: ctx, app: app}
}

// spec describes a replica that serves.
func (b bench) spec(replica string) runtime.Spec {
	return runtime.Spec{
		Name:    runtime.ContainerName(b.Instance, b.app, replica),
		Image:   b.Image,
		Command: b.Serve,
		Ports:   b.Reach.Ports([]int{b.Port}),
		Labels: map[string]string{
			runtime.LabelInstance: b.Instance,
			runtime.LabelApp:      b.app,
			runtime.LabelReplica:  replica,
		},
	}
}

// create makes a container and removes it at the end.
func (b bench) create(spec runtime.Spec) string {
	b.Helper()
	id, err := b.Engine.Create(b.ctx, spec)
	if err != nil {
		b.Fatalf("create: %v", err)
	}
	b.discard(id)
	return id
}

func (b bench) discard(id string) {
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if err := b.Engine.Remove(ctx, id, true); err != nil {
			b.Errorf("clean up %.12s: %v", id, err)
		}
	})
}

// serving makes a container that runs.
func (b bench) serving(replica string) runtime.Container {
	b.Helper()
	id := b.create(b.spec(replica))
	b.must("start", b.Engine.Start(b.ctx, id))
	return b.served(id)
}

// served waits until the app listens: before that it has no signal handler, and the kernel drops a stop signal for a
// process 1 that has none.
func (b bench) served(id string) runtime.Container {
	b.Helper()
	c := b.inspect(id)
	b.reaches(c)
	return c
}

func (b bench) inspect(id string) runtime.Container {
	b.Helper()
	c, err := b.Engine.Inspect(b.ctx, id)
	if err != nil {
		b.Fatalf("inspect: %v", err)
	}
	return c
}

// look asks about one container, as a row of this identity would.
func (b bench) look(id, identity string) runtime.Observation {
	b.Helper()
	query := runtime.Query{Replica: "r1", Container: id, Identity: identity, Version: 7, Start: "then"}
	report, err := b.Engine.ReplicaLiveness(b.ctx, []runtime.Query{query})
	if err != nil {
		b.Fatalf("look: %v", err)
	}
	if len(report.Observations) != 1 || report.Observations[0].Query != query {
		b.Fatalf("look: want an answer to the one query, handed back untouched; got %+v", report.Observations)
	}
	return report.Observations[0]
}

func (b bench) identity() string {
	b.Helper()
	info, err := b.Engine.Info(b.ctx)
	if err != nil {
		b.Fatalf("info: %v", err)
	}
	return info.Identity
}

func (b bench) must(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

func (b bench) want(what string, err, target error) {
	b.Helper()
	if !errors.Is(err, target) {
		b.Errorf("%s: want %q, got %v", what, target, err)
	}
}

func (b bench) verdict(o runtime.Observation, want runtime.Verdict) {
	b.Helper()
	if o.Verdict != want {
		b.Errorf("want %s, got %s (status %q, cause %q)", want, o.Verdict, o.Container.Status, o.Cause)
	}
}

// eventually waits for what an engine does in its own time after it answered.
func (b bench) eventually(what string, so func() bool) {
	b.Helper()
	for deadline := time.Now().Add(settling); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("%s: not within %s", what, settling)
		}
	}
}
