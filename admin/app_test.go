package admin

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// An operator sees that an app keeps ending, and not only that it restarts.
func TestFlappingIsShown(t *testing.T) {
	w := newWorld(t)
	trouble := func() string {
		return decoded[App](t, w.do(http.MethodGet, "/api/apps/hello").Body).Replicas[0].Trouble
	}
	end := func(r *pool.Row) bool { r.Restarts(); return true }
	_, _ = w.hello.Settle("r1", 0, end)
	if got := trouble(); got != "" {
		t.Errorf("after one end: %q", got)
	}
	_, _ = w.hello.Settle("r1", 0, func(r *pool.Row) bool {
		r.BecomeReady(pool.NewUpstream("c0ffee", "again", nil))
		return end(r)
	})
	if got := trouble(); !strings.Contains(got, "2 times in a row") {
		t.Errorf("after two: %q", got)
	}
}

func TestReplicaHasExactlyTheseFields(t *testing.T) {
	w := newWorld(t)
	lease := w.hello.Admit(pool.Visitor{Open: true}).Lease
	defer lease.Release()
	app := decoded[map[string]any](t, w.send("GET", "/api/apps/hello", nil).Body)
	got := app["replicas"].([]any)[0].(map[string]any)
	want := map[string]any{
		"id": "r1", "app": "hello", "host": "local", "container": "c0ffee", "state": "ready", "suspect": false,
		"upstream": "172.17.0.2:8080", "sessions": 1.0, "leases": 1.0, "started": "2026-11-30T04:00:00Z",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestAppsAreListedByName(t *testing.T) {
	w := newWorld(t)
	apps := decoded[[]App](t, w.send("GET", "/api/apps", nil).Body)
	var names []string
	for _, app := range apps {
		names = append(names, app.Name+" "+app.State)
	}
	if want := []string{"asleep asleep", "hello ready"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if got := apps[1].Policy; got != (Policy{Max: 3, Seats: 10, Sticky: true, Idle: "never", Sleep: "remove"}) {
		t.Errorf("policy is %+v", got)
	}
}

func TestEmptyListsAreNotNull(t *testing.T) {
	w := newWorld(t)
	w.Pool.Drop("hello")
	if got := w.send("GET", "/api/apps", nil).Body.String(); !strings.Contains(got, `"replicas": []`) {
		t.Error(got)
	}
	w.Pool.Drop("asleep")
	for _, path := range []string{"/api/apps", "/api/events"} {
		if got := w.send("GET", path, nil).Body.String(); got != "[]\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestStateInOneWord(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*pool.Row)
	}{
		{"ready", func(*pool.Row) {}},
		{"suspect", func(r *pool.Row) { r.Suspected("its connections ended") }},
		{"restarting", func(r *pool.Row) { r.Restarts() }},
		{"draining", func(r *pool.Row) { r.Drains(pool.SleepRemove, "idle") }},
		{"asleep", func(r *pool.Row) { r.Sleeps() }},
		{"starting", func(r *pool.Row) { r.Wakes() }},
	} {
		w := newWorld(t)
		_, _ = w.hello.Settle("r1", 0, func(r *pool.Row) bool { c.change(r); return true })
		if got := stateOf(w.hello.Snapshot()); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// case B166: what went wrong is shown; case B199's neighbour: what the container printed needs the token.
func TestFailureKeepsItsLogLinesForTheToken(t *testing.T) {
	w := newWorld(t)
	w.asleep.SetFailure(&pool.Failure{Reason: "crashed", Detail: "GET /up → 404\nPASSWORD=1234", Tries: 2, Until: time.Now()})
	open := decoded[App](t, w.send("GET", "/api/apps/asleep", nil).Body)
	if open.State != "failed" || open.Failure.Reason != "crashed" || open.Failure.Detail != "GET /up → 404" {
		t.Errorf("without the token: %s %+v", open.State, open.Failure)
	}
	whole := decoded[App](t, w.do("GET", "/api/apps/asleep").Body)
	if !strings.Contains(whole.Failure.Detail, "PASSWORD") || whole.Failure.Tries != 2 {
		t.Errorf("with the token: %+v", whole.Failure)
	}
}

func TestOutdatedReplicaIsShown(t *testing.T) {
	w := newWorld(t)
	w.hello.SetPolicy(pool.Policy{Max: 3, Port: 8080, Spec: "newer"})
	if app := decoded[App](t, w.send("GET", "/api/apps/hello", nil).Body); !app.Replicas[0].Outdated {
		t.Errorf("not outdated: %+v", app.Replicas[0])
	}
}

func TestUnknownNames(t *testing.T) {
	w := newWorld(t)
	wantProblem(t, w.send("GET", "/api/apps/nobody", nil), http.StatusNotFound, "no such app")
	wantProblem(t, w.send("GET", "/api/nothing", nil), http.StatusNotFound, "no such endpoint")
	got := w.send("DELETE", "/api/apps/hello", nil)
	wantProblem(t, got, http.StatusMethodNotAllowed, "use GET")
	if allow := got.Header().Get("Allow"); allow != "GET" {
		t.Errorf("Allow: %q", allow)
	}
}

func TestHostsWithoutAnAnswerAreUnknown(t *testing.T) {
	w := newWorld(t)
	got := decoded[[]HostStatus](t, w.send("GET", "/api/hosts", nil).Body)
	want := []HostStatus{
		{Name: "lab", State: HostUnknown, Error: "no answer yet"},
		{Name: "local", State: HostOK, Engine: "docker", Replicas: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestHealthReadinessVersion(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := w.send("GET", path, nil); got.Code != 200 {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	w.Ready = func() error { return errShutting }
	w.handler = New(w.Options)
	wantProblem(t, w.send("GET", "/readyz", nil), http.StatusServiceUnavailable, "shutting down")
	if got := decoded[Release](t, w.send("GET", "/api/version", nil).Body); got.Version != "1.2.3" {
		t.Error(got)
	}
}

var errShutting = errors.New("shutting down")
