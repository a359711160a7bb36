package l7

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/page"
	"github.com/fairlead/fairlead/pool"
)

var navigation = []string{"Sec-Fetch-Mode", "navigate", "Accept", "text/html", "Accept-Language", "pt-BR"}

// case B062: nothing starts, and the page comes at once.
func TestNavigationGetsThePage(t *testing.T) {
	h := newHouse(t, nil)
	got := h.get("/", navigation...)
	if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, `<html lang="pt-BR">`) || !strings.Contains(got.body, "Iniciando") {
		t.Errorf("got %d %q", got.StatusCode, got.body)
	}
	// case B073
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Retry-After": "2", reasonHeader: "starting", "Content-Type": "text/html; charset=utf-8", "Etag": "",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if ticket := got.cookie("__fairlead_wait_hello"); ticket == nil || !ticket.HttpOnly || ticket.MaxAge <= 0 {
		t.Errorf("the ticket is %v", ticket)
	}
}

// The place in the demand is one, however often the page comes back.
func TestPageKeepsOnePlaceInTheDemand(t *testing.T) {
	h := newHouse(t, nil)
	ticket := h.get("/", navigation...).cookie("__fairlead_wait_hello")
	for range 3 {
		h.get("/", append(navigation, "Cookie", ticket.Name+"="+ticket.Value)...)
		h.get("/", page.Probe, "1", "Cookie", ticket.Name+"="+ticket.Value)
	}
	if n := h.app("hello").Waiting(time.Now()); n != 1 {
		t.Errorf("%d wait", n)
	}
}

func TestNavigationIsServedWithinTheHold(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Page = 10 * time.Second })
	go func() {
		waitFor(h, 1)
		h.replica("hello", "r1", named("r1"))
	}()
	if got := h.get("/", navigation...); got.StatusCode != 200 || got.replica() != "r1" {
		t.Errorf("got %d %q", got.StatusCode, got.body)
	}
}

func waitFor(h *house, visitors int) {
	for h.app("hello").Waiting(time.Now()) < visitors {
		time.Sleep(time.Millisecond)
	}
}

// case B073: held, or a problem; never HTML.
func TestOthersAreHeldAndNeverGetHTML(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Max = 100 * time.Millisecond })
	for _, c := range []struct {
		method string
		header []string
	}{
		{"GET", []string{"Sec-Fetch-Mode", "no-cors", "Accept", "text/html"}},
		{"GET", []string{"Accept", "*/*"}},
		{"POST", []string{"Accept", "text/html"}},
		{"GET", []string{"Connection", "Upgrade", "Upgrade", "websocket", "Accept", "text/html"}},
	} {
		began := time.Now()
		got := h.do(c.method, "/", nil, c.header...)
		if got.StatusCode != 503 || got.Header.Get("Content-Type") != problemType || got.Header.Get("Retry-After") == "" {
			t.Errorf("%v: got %d %v", c, got.StatusCode, got.Header)
		}
		if held := time.Since(began); held < 100*time.Millisecond {
			t.Errorf("%v: held for %v", c, held)
		}
		var problem struct {
			Status int
			Reason string
		}
		if err := json.Unmarshal([]byte(got.body), &problem); err != nil || problem.Status != 503 || problem.Reason != "starting" {
			t.Errorf("%v: the problem is %q", c, got.body)
		}
	}
}

// case B067's shape: a POST that waits is sent once, whole, when a replica is ready.
func TestHeldPostArrivesWhole(t *testing.T) {
	h := newHouse(t, nil)
	go func() {
		waitFor(h, 1)
		h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	}()
	text := strings.Repeat("body ", 100_000)
	if got := h.do(http.MethodPost, "/", strings.NewReader(text)); got.StatusCode != 200 || got.body != text {
		t.Errorf("got %d and %d bytes", got.StatusCode, len(got.body))
	}
}

// case B190
func TestVisitorWhoLeavesLeavesNothing(t *testing.T) {
	h := newHouse(t, nil)
	ctx, leave := context.WithCancel(context.Background())
	var gone sync.WaitGroup
	for range 20 {
		gone.Go(func() {
			if _, err := h.try(ctx, http.MethodGet, "/", nil); err == nil {
				t.Error("somebody was answered")
			}
		})
	}
	waitFor(h, 20)
	leave()
	gone.Wait()
	eventually(t, "nobody waits", func() bool { return h.app("hello").Waiting(time.Now()) == 0 })
	if h.reports.count() != 0 {
		t.Error("a visitor who left was reported")
	}
}

// case B055: the page and the probe say which.
func TestFullIsSaidAndEnds(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) {
		sticky(c)
		c.Apps["hello"].Seats = 1
	})
	policy := *h.app("hello").Snapshot().Policy
	policy.Max = 1
	h.app("hello").SetPolicy(policy)
	h.replica("hello", "r1", named("r1"))
	a := h.get("/", navigation...)
	cookie := a.cookie("__fairlead_hello")
	for range 2 { // he who has the seat passes, on a redirect, too
		if got := h.get("/next", append(navigation, "Cookie", cookie.Name+"="+cookie.Value)...); got.StatusCode != 200 {
			t.Fatalf("the seat's owner got %d", got.StatusCode)
		}
	}
	b := h.get("/", navigation...)
	if b.StatusCode != 503 || b.Header.Get(reasonHeader) != "full" || !strings.Contains(b.body, `<main data-reason="full">`) {
		t.Errorf("the second visitor got %d %q", b.StatusCode, b.Header.Get(reasonHeader))
	}
	if got := h.get("/", page.Probe, "1"); got.Header.Get(reasonHeader) != "full" {
		t.Errorf("the probe says %q", got.Header.Get(reasonHeader))
	}
	if got := h.do(http.MethodPost, "/", nil); got.StatusCode != 503 || got.Header.Get(reasonHeader) != "full" {
		t.Errorf("a POST got %d %q", got.StatusCode, got.Header.Get(reasonHeader))
	}
	if got := h.get("/", page.Probe, "1", "Cookie", cookie.Name+"="+cookie.Value); got.Header.Get(reasonHeader) != "ready" {
		t.Errorf("to the seat's owner the probe says %q", got.Header.Get(reasonHeader))
	}
	binding, _ := h.front.key.open("hello", cookie.Value)
	h.app("hello").EndSession(binding.session)
	if got := h.get("/", page.Probe, "1"); got.StatusCode != 200 || got.Header.Get(reasonHeader) != "ready" {
		t.Errorf("after the end the probe says %q", got.Header.Get(reasonHeader))
	}
	if got := h.get("/", navigation...); got.StatusCode != 200 {
		t.Errorf("after the end the second visitor got %d", got.StatusCode)
	}
}

func TestProbeOpensNothing(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", func(http.ResponseWriter, *http.Request) { t.Error("the probe reached the app") })
	got := h.get("/", append(navigation, page.Probe, "1")...)
	if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" || len(got.Cookies()) != 0 {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	h.idle("hello")
	if n := h.app("hello").Sessions(); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

// Details are for operators.
func TestFailedIsSaidWithoutDetails(t *testing.T) {
	h := newHouse(t, nil)
	h.app("hello").SetFailure(&pool.Failure{Reason: "crashed", Detail: "exit 3: password=hunter2", Until: time.Now().Add(20 * time.Second)})
	for _, header := range [][]string{navigation, nil} {
		got := h.get("/", header...)
		if got.StatusCode != 503 || got.Header.Get(reasonHeader) != "failed" || got.Header.Get("Retry-After") != "20" {
			t.Errorf("got %d %v", got.StatusCode, got.Header)
		}
		if !strings.Contains(got.body, "crashed") || strings.Contains(got.body, "hunter2") {
			t.Errorf("the body is %q", got.body)
		}
	}
}

func TestFullQueue(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Queue = 1 })
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	go h.try(ctx, http.MethodGet, "/", nil)
	waitFor(h, 1)
	if got := h.get("/"); got.StatusCode != 503 || got.Header.Get(reasonHeader) != "full" {
		t.Errorf("got %d %q", got.StatusCode, got.Header.Get(reasonHeader))
	}
}
