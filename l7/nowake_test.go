package l7

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// case B074: monitors and bots start nothing, open nothing, and are told at once; everybody else waits as ever.
func TestNoWake(t *testing.T) { overProtocols(t, testNoWake) }

func testNoWake(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) {
		a.Sticky, a.Hold.Page, a.Hold.Max = true, 10*time.Millisecond, 10*time.Millisecond
		a.NoWake = []conf.NoWake{
			{UserAgent: "uptime-KUMA", Status: http.StatusOK},
			{Path: "/favicon.ico"},
			{Methods: []string{http.MethodHead}, From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
			{Methods: []string{http.MethodGet}, From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
		}
	}))
	for _, passing := range []struct {
		method, path, agent string
		status              int
	}{
		{"GET", "/", "Uptime-Kuma/1.23", http.StatusOK},
		{"GET", "/favicon.ico?v=2", "", http.StatusServiceUnavailable},
		{"GET", "/%66avicon.ico/x", "", http.StatusServiceUnavailable},
		{"HEAD", "/", "", http.StatusServiceUnavailable},
	} {
		header := append([]string{"User-Agent", passing.agent}, navigation...)
		got := h.do(passing.method, passing.path, nil, header...)
		if got.StatusCode != passing.status || got.Header.Get(reasonHeader) != reasonAsleep {
			t.Errorf("%+v got %d %s", passing, got.StatusCode, got.Header.Get(reasonHeader))
		}
		if got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%+v got a cookie", passing)
		}
	}
	if n := h.app("hello").Waiting(time.Now()); n != 0 {
		t.Errorf("%d are waited for", n)
	}
	if got := h.get("/favicon.icon", navigation...); got.Header.Get(reasonHeader) != "starting" {
		t.Errorf("another path: %d %s", got.StatusCode, got.Header.Get(reasonHeader))
	}
	if n := h.app("hello").Waiting(time.Now()); n != 1 {
		t.Errorf("%d are waited for, want the one who may", n)
	}

	h.replica("hello", "r1", named("r1"))
	got := h.get("/", append([]string{"User-Agent", "Uptime-Kuma"}, navigation...)...)
	if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.body, "r1") || len(got.Header["Set-Cookie"]) > 1 {
		t.Errorf("a ready app: %d %q, cookies %q", got.StatusCode, got.body, got.Header["Set-Cookie"]) // one is the app's
	}
}
