package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

func TestWishesReachTheControl(t *testing.T) {
	w := newWorld(t)
	var asked string
	w.control.ask = func(what, name string) error { asked = what + " " + name; return nil }
	for path, want := range map[string]string{
		"/api/apps/hello/wake":    "wake hello",
		"/api/apps/hello/sleep":   "sleep hello",
		"/api/apps/hello/restart": "restart hello",
		"/api/hosts/lab/forget":   "forget lab",
	} {
		got := w.do("POST", path)
		if got.Code >= 300 || asked != want {
			t.Errorf("POST %s: %d, asked for %q", path, got.Code, asked)
		}
	}
}

// case B199: only apps of the configuration can be named; the control is not even asked.
func TestWishesForStrangersAreRefused(t *testing.T) {
	w := newWorld(t)
	for _, what := range []string{"wake", "sleep", "restart"} {
		wantProblem(t, w.do("POST", "/api/apps/postgres/"+what), http.StatusNotFound, "no such app")
	}
	wantProblem(t, w.do("GET", "/api/apps/postgres/logs"), http.StatusNotFound, "no such app")
}

// The rows of a host that is no longer configured can be given up; a misspelt name is an error.
func TestForgetKnowsHostsByTheirReplicas(t *testing.T) {
	w := newWorld(t)
	wantProblem(t, w.do("POST", "/api/hosts/locla/forget"), http.StatusNotFound, "no such host")
	w.Fleet.Set()
	asked := 0
	w.control.ask = func(string, string) error { asked++; return nil }
	if got := w.do("POST", "/api/hosts/local/forget"); got.Code != 200 || asked != 1 {
		t.Errorf("got %d, asked %d times", got.Code, asked)
	}
}

func TestErrorsOfTheControl(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		err  error
		want int
	}{
		{fmt.Errorf("host lab: %w", runtime.ErrNoHost), http.StatusNotFound},
		{fmt.Errorf("app is adopted: %w", ErrRefused), http.StatusConflict},
		{fmt.Errorf("pause: %w", runtime.ErrUnsupported), http.StatusNotImplemented},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{errors.New("disk is full"), http.StatusInternalServerError},
	} {
		w.control.ask = func(string, string) error { return c.err }
		wantProblem(t, w.do("POST", "/api/apps/hello/restart"), c.want, c.err.Error())
	}
}

func TestReloadSaysWhyItWasRefused(t *testing.T) {
	w := newWorld(t)
	w.control.reload = func(context.Context) error { return fmt.Errorf("%w: a.yaml:3: unknown key", ErrRefused) }
	wantProblem(t, w.do("POST", "/api/reload"), http.StatusConflict, "a.yaml:3: unknown key")
	w.control.reload = func(context.Context) error { return nil }
	if got := w.do("POST", "/api/reload"); got.Code != 200 {
		t.Errorf("got %d", got.Code)
	}
}

func TestCleanCounts(t *testing.T) {
	w := newWorld(t)
	w.control.clean = func(context.Context) (int, error) { return 3, nil }
	if got := decoded[Cleaned](t, w.do("POST", "/api/clean").Body); got.Removed != 3 {
		t.Errorf("got %+v", got)
	}
	w.control.clean = func(context.Context) (int, error) { return 1, errors.New("host lab is out") }
	wantProblem(t, w.do("POST", "/api/clean"), http.StatusInternalServerError, "1 removed")
}

func TestWakeWithoutWaitReturnsAtOnce(t *testing.T) {
	w := newWorld(t)
	w.control.ask = func(string, string) error { return nil }
	if got := w.do("POST", "/api/apps/asleep/wake"); got.Code != http.StatusAccepted {
		t.Errorf("got %d", got.Code)
	}
}

func TestWakeWaits(t *testing.T) {
	for name, c := range map[string]struct {
		then func(*world) // after a second
		want int
	}{
		"until ready":         {func(w *world) { w.serve(w.asleep, "a1") }, http.StatusOK},
		"not past its time":   {func(*world) {}, http.StatusGatewayTimeout},
		"no longer than hope": {failStart, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.control.ask = func(string, string) error { return nil }
				go func() { time.Sleep(time.Second); c.then(w) }()
				began := time.Now()
				got := w.do("POST", "/api/apps/asleep/wake?wait=30s")
				if got.Code != c.want {
					t.Fatalf("got %d after %v:\n%s", got.Code, time.Since(began), got.Body)
				}
				if took := time.Since(began); c.want != http.StatusGatewayTimeout && took > 2*time.Second {
					t.Errorf("took %v", took)
				}
				for _, row := range w.asleep.Snapshot().Rows {
					if row.InUse() {
						t.Error("the wait left a lease behind")
					}
				}
			})
		})
	}
}

func failStart(w *world) {
	w.asleep.SetFailure(&pool.Failure{Reason: "crashed", Until: time.Now().Add(time.Minute)})
}

func TestWakeRefusesAnOddWait(t *testing.T) {
	w := newWorld(t)
	for _, wait := range []string{"soon", "-1s", "0s", "11m"} {
		wantProblem(t, w.do("POST", "/api/apps/hello/wake?wait="+wait), http.StatusBadRequest, "want a duration")
	}
}
