package l7

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRequestReachesTheAppAndComesBack(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.RequestURI+" "+r.Host+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, "short and stout")
	})
	got := h.do(http.MethodPut, "/pot?x=1;y", strings.NewReader("tea"), "Host", "kitchen.example.org")
	if got.StatusCode != http.StatusTeapot || got.body != "short and stout" {
		t.Errorf("got %d %q", got.StatusCode, got.body)
	}
	if seen := got.Header.Get("X-Seen"); seen != "PUT /pot?x=1;y kitchen.example.org tea" {
		t.Errorf("the app saw %q", seen)
	}
	h.idle("hello")
	if h.reports.count() != 0 {
		t.Error("an app's own answer was reported")
	}
}
