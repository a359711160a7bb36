package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// The page shows what the reads show without a token, with what others wrote as text.
func TestDashboard(t *testing.T) {
	w := newWorld(t)
	w.asleep.SetFailure(&pool.Failure{Reason: "crashed", Detail: "exit code 3\npassword=1234", Tries: 2, Until: time.Now()})
	w.Journal.Record(journal.Event{Word: journal.StartFailed, App: "asleep", Cause: "<script>alert(1)</script>"})
	got := w.send(http.MethodGet, "/", nil)
	body := got.Body.String()
	for _, want := range []string{"hello", "r1", "172.17.0.2:8080", "local", "lab", "no answer yet", "1.2.3", "crashed", "exit code 3",
		string(journal.StartFailed), "&lt;script&gt;alert(1)"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	for _, unwanted := range []string{"password", "<script>"} {
		if strings.Contains(body, unwanted) {
			t.Errorf("the page has %q", unwanted)
		}
	}
	if policy := got.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

// Its parts are there; a page of another origin does not get it.
func TestDashboardIsOurs(t *testing.T) {
	w := newWorld(t)
	for path, kind := range map[string]string{"/dashboard.css": "text/css", "/dashboard.js": "text/javascript", "/": "text/html"} {
		if got := w.send(http.MethodGet, path, nil); got.Code != http.StatusOK || !strings.HasPrefix(got.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: %d %s", path, got.Code, got.Header().Get("Content-Type"))
		}
		if got := w.send(http.MethodGet, path, http.Header{"Origin": {"http://evil.test"}}); got.Code != http.StatusForbidden {
			t.Errorf("%s for another origin: %d", path, got.Code)
		}
	}
	if got := w.send(http.MethodGet, "/dashboard.html", nil); got.Code != http.StatusNotFound {
		t.Errorf("the template: %d", got.Code)
	}
}
