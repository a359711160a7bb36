package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
)

// engine is a Docker of that identity, which says so when it is asked.
func engine(t *testing.T, identity string, asked func()) conf.Host {
	t.Helper()
	url := enginetest.Fake(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version":
			fmt.Fprint(w, `{"Version":"99.0","ApiVersion":"1.41","MinAPIVersion":"1.24"}`)
		case strings.HasSuffix(r.URL.Path, "/info"):
			asked()
			fmt.Fprintf(w, `{"ID":%q}`, identity)
		}
	}))
	return conf.Host{URL: url, Reach: "auto", Timeout: 10 * time.Second, Weight: 1}
}

func quietly() {}

// run is a set of hosts with a note of what it says upwards.
type run struct {
	hosts
	joins    chan string
	refusals chan error
}

func newRun(t *testing.T) *run {
	t.Helper()
	r := &run{joins: make(chan string, 10), refusals: make(chan error, 10)}
	r.hosts.fleet, r.hosts.instance, r.hosts.log = runtime.NewFleet(), enginetest.Instance(), slog.New(slog.DiscardHandler)
	r.hosts.joined = func(_ context.Context, name string) { r.joins <- name }
	r.hosts.refused = func(err error) { r.refusals <- err }
	t.Cleanup(r.close)
	return r
}

func received[T any](t *testing.T, what string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: not within 10 s", what)
	}
	return value
}

// awaitWhy waits until the fleet has no engine under that name for that reason.
func (r *run) awaitWhy(t *testing.T, name string, want error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		host, missing := r.fleet.Host(name)
		if missing != nil {
			t.Fatal(missing)
		}
		if _, err = host.Engine.Info(t.Context()); errors.Is(err, want) {
			return
		}
	}
	t.Fatalf("%s: want %q, got %v", name, want, err)
}

// An engine that is configured twice would be counted twice: the second host stays out, and the first one serves.
func TestOneEngineIsOneHost(t *testing.T) {
	r := newRun(t)
	a, b := engine(t, "e", quietly), engine(t, "e", quietly)
	r.apply(t.Context(), map[string]conf.Host{"a": a})
	received(t, "a", r.joins)
	r.apply(t.Context(), map[string]conf.Host{"a": a, "b": b})
	r.settle(t.Context())
	r.awaitWhy(t, "b", errSame)
	r.apply(t.Context(), map[string]conf.Host{"b": b})
	if name := received(t, "b, alone", r.joins); name != "b" {
		t.Errorf("%s joined", name)
	}
}

// What another process serves ends a run at its start, and not later, when others are served.
func TestEngineOfAnotherProcess(t *testing.T) {
	first, second, third := newRun(t), newRun(t), newRun(t)
	second.instance, third.instance = first.instance, first.instance
	taken, free := engine(t, "taken", quietly), engine(t, "free", quietly)
	first.apply(t.Context(), map[string]conf.Host{"a": taken})
	received(t, "the first", first.joins)
	second.apply(t.Context(), map[string]conf.Host{"a": taken})
	if err := received(t, "refusal", second.refusals); !errors.Is(err, errLocked) {
		t.Error(err)
	}
	second.apply(t.Context(), nil)
	third.apply(t.Context(), map[string]conf.Host{"free": free})
	third.apply(t.Context(), map[string]conf.Host{"free": free, "a": taken})
	received(t, "the third's free one", third.joins)
	third.settle(t.Context())
	third.awaitWhy(t, "a", errLocked)
	if len(third.refusals) > 0 {
		t.Error("a host that came later ended the run")
	}
	first.apply(t.Context(), nil)
	received(t, "the third, freed", third.joins)
}

// A host that leaves while it is being connected keeps nothing.
func TestLeavingWhileJoining(t *testing.T) {
	r := newRun(t)
	asked, release := make(chan struct{}, 10), make(chan struct{})
	host := engine(t, "e", func() {
		asked <- struct{}{}
		<-release
	})
	r.apply(t.Context(), map[string]conf.Host{"a": host})
	received(t, "the question", asked)
	host.Weight = 2
	r.apply(t.Context(), map[string]conf.Host{"a": host})
	close(release)
	received(t, "a, changed", r.joins)
	if len(r.refusals) > 0 {
		t.Error(<-r.refusals)
	}
	if now, err := r.fleet.Host("a"); err != nil || now.Weight != 2 {
		t.Errorf("got %+v, %v", now, err)
	}
}

// The same a moment later, when all is answered.
func TestLeavingWhileEntering(t *testing.T) {
	r := newRun(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	info := runtime.Info{Identity: "e"}
	if err := r.enter(ctx, &member{}, &runtime.Host{Name: "a"}, info); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	held, err := acquire("e@", r.instance)
	if err != nil {
		t.Error(err)
	}
	held.release()
}

// Machines that were cloned have one Docker identity, and Podman's is a path and a user.
func TestOneIdentityOnTwoMachines(t *testing.T) {
	r := newRun(t)
	r.apply(t.Context(), map[string]conf.Host{"a": engine(t, "e", quietly)})
	received(t, "a", r.joins)
	elsewhere := runtime.Info{Identity: "e", Place: "elsewhere"}
	if err := r.enter(t.Context(), &member{}, &runtime.Host{Name: "b"}, elsewhere); err != nil {
		t.Error(err)
	}
}

// A host that stays out for one and the same reason says it once, and again only when the reason is another.
func TestReasonOfAHostIsToldOnce(t *testing.T) {
	said := make(lines, 100)
	r := newRun(t)
	r.hosts.log = slog.New(slog.NewTextHandler(said, nil))
	var asked atomic.Int32
	a, b := engine(t, "e", quietly), engine(t, "e", func() { asked.Add(1) })
	r.apply(t.Context(), map[string]conf.Host{"a": a})
	received(t, "a", r.joins)
	r.apply(t.Context(), map[string]conf.Host{"a": a, "b": b})
	for deadline := time.Now().Add(10 * time.Second); asked.Load() < 4; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("b was tried %d times", asked.Load())
		}
	}
	told := 0
	for len(said) > 0 {
		if line := <-said; strings.Contains(line, errSame.Error()) {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times in %d tries", told, asked.Load())
	}
}

// lines is a log that a test reads.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
