package admin

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGuardRefusesWhatAWebPageSends(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name   string
		header http.Header
		want   int
	}{
		{"command line", http.Header{}, 200},
		{"localhost", http.Header{"Host": {"localhost:9900"}}, 200},
		{"subdomain of localhost", http.Header{"Host": {"admin.localhost"}}, 200},
		{"IPv6 loopback", http.Header{"Host": {"[::1]:9900"}}, 200},
		{"DNS rebinding", http.Header{"Host": {"evil.example:9900"}}, 421},
		{"looks like loopback", http.Header{"Host": {"127.0.0.1.evil.example"}}, 421},
		{"another address", http.Header{"Host": {"192.0.2.1:9900"}}, 421},
		{"same origin", http.Header{"Origin": {"http://127.0.0.1:9900"}}, 200},
		{"another origin", http.Header{"Origin": {"http://evil.example"}}, 403},
		{"another port", http.Header{"Origin": {"http://127.0.0.1:8080"}}, 403},
		{"sandboxed page", http.Header{"Origin": {"null"}}, 403},
		{"no-cors from another site", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, 403},
		{"no-cors from another port", http.Header{"Sec-Fetch-Site": {"same-site"}, "Sec-Fetch-Mode": {"no-cors"}}, 403},
		{"a link from another site", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, 200},
	} {
		if got := w.send("GET", "/api/apps", c.header); got.Code != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got.Code, c.want)
		}
	}
}

func TestGuardTakesAnyNameOverAUnixSocket(t *testing.T) {
	w := newWorld(t)
	req := httptest.NewRequest("GET", "http://whatever/healthz", nil)
	req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "/x"}))
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, req)
	if recorder.Code != 200 {
		t.Errorf("got %d", recorder.Code)
	}
}

var guarded = []struct{ method, path string }{
	{"GET", "/api/apps/hello/logs"},
	{"POST", "/api/apps/hello/wake"},
	{"POST", "/api/apps/hello/sleep"},
	{"POST", "/api/apps/hello/restart"},
	{"POST", "/api/hosts/local/forget"},
	{"POST", "/api/reload"},
	{"POST", "/api/clean"},
}

// The control fails the test if one of these gets through. Case B196.
func TestChangesAndLogsNeedTheToken(t *testing.T) {
	w := newWorld(t)
	for _, g := range guarded {
		for _, authorization := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + testToken, testToken, "Bearer " + testToken + "x",
		} {
			got := w.send(g.method, g.path, http.Header{"Authorization": {authorization}})
			if got.Code != http.StatusUnauthorized || got.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s with %q: got %d", g.method, g.path, authorization, got.Code)
			}
		}
	}
}

func TestNoTokenConfiguredOpensNothing(t *testing.T) {
	w := newWorld(t)
	w.Token = ""
	w.handler = New(w.Options)
	for _, authorization := range []string{"", "Bearer", "Bearer "} {
		got := w.send("POST", "/api/reload", http.Header{"Authorization": {authorization}})
		if got.Code != http.StatusUnauthorized {
			t.Errorf("with %q: got %d", authorization, got.Code)
		}
	}
}

// A change needs POST: a link or an image cannot cause one even with a token.
func TestChangesAreNotReads(t *testing.T) {
	w := newWorld(t)
	for _, g := range guarded[1:] {
		if got := w.do("GET", g.path); got.Code != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: got %d", g.path, got.Code)
		}
	}
}
