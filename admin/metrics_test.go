package admin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/pool"
)

func (w *world) metrics(t *testing.T) []string {
	t.Helper()
	got := w.send("GET", "/metrics", nil)
	if got.Code != http.StatusOK {
		t.Fatalf("got %d: %s", got.Code, got.Body)
	}
	var series []string
	for _, line := range strings.Split(got.Body.String(), "\n") {
		if strings.HasPrefix(line, "fairlead_") {
			series = append(series, line)
		}
	}
	return series
}

func TestGaugesAreReadAtTheScrape(t *testing.T) {
	w := newWorld(t)
	lease := w.hello.Admit(pool.Visitor{Open: true}).Lease
	w.asleep.Want()
	all := strings.Join(w.metrics(t), "\n")
	for _, want := range []string{
		`fairlead_replicas{app="hello",state="ready"} 1`,
		`fairlead_replicas{app="hello",state="restarting"} 0`,
		`fairlead_replicas{app="asleep",state="ready"} 0`,
		`fairlead_replicas_max{app="hello"} 3`,
		`fairlead_leases{app="hello"} 1`,
		`fairlead_sessions{app="hello"} 1`,
		`fairlead_waiting{app="asleep"} 1`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("missing: %s", want)
		}
	}
	lease.Release()
	if all := strings.Join(w.metrics(t), "\n"); !strings.Contains(all, `fairlead_leases{app="hello"} 0`) {
		t.Error("the lease is still counted")
	}
}

// case B205
func TestNoRequestAddsASeries(t *testing.T) {
	w := newWorld(t)
	before := len(w.metrics(t))
	for _, path := range []string{"/api/apps/a", "/api/apps/b", "/x", "/y?z=1"} {
		for _, method := range []string{"GET", "BREW", "PROPFIND"} {
			w.send(method, path, http.Header{"Host": {path[1:] + ".localhost"}})
		}
	}
	if after := len(w.metrics(t)); after != before {
		t.Errorf("%d series became %d", before, after)
	}
}

// Scrapers come under any name, and get nothing but metrics.
func TestMetricsListenerShowsNothingElse(t *testing.T) {
	w := newWorld(t)
	handler := NewMetrics(w.Gatherer)
	for path, want := range map[string]int{"/metrics": 200, "/healthz": 200, "/api/apps": 404, "/api/events": 404} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest("GET", "http://metrics.example"+path, nil))
		if recorder.Code != want {
			t.Errorf("%s: got %d, want %d", path, recorder.Code, want)
		}
	}
}
