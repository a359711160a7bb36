package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// app is the HTTP side. Everything in it but the counts and the hang switch is fixed once it listens.
type app struct {
	settings
	stopping  context.Context // ends when the process is asked to stop; running answers may still end by themselves
	listening time.Time
	routes    map[string]http.HandlerFunc
	counts    *counts
	hangs     atomic.Bool
}

func newApp(stopping context.Context, settings settings, listening time.Time) *app {
	a := &app{settings: settings, stopping: stopping, listening: listening, counts: openCounts(settings.data)}
	a.routes = map[string]http.HandlerFunc{
		"":          a.page,
		"echo":      a.echo,
		"id":        a.id,
		"listening": a.listeningSince,
		"healthz":   a.health,
		"ws":        a.socket,
		"sse":       a.events,
		"slow":      a.slow,
		"count":     a.count,
		"status":    a.status,
		"crash":     a.crashNow,
		"hang":      a.hang,
	}
	return a
}

// ServeHTTP routes on the first segment alone and answers any other path with an echo under 404. It is no ServeMux
// because that redirects //, . and .. away, and a proxy's faithfulness shows in exactly those.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	segment, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if a.hangs.Load() && segment != "hang" {
		waitForever(r)
	}
	w.Header().Set("Demo-Replica", a.replica)
	w.Header().Set("Demo-App", a.name)
	handler, found := a.routes[segment]
	if !found || segment == "" && r.URL.Path != "/" {
		a.writeEcho(w, r, http.StatusNotFound)
		return
	}
	handler(w, r)
}

func (a *app) id(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, a.replica)
}

// listeningSince answers the unix-nano stamp of the listen, from which a cold start's own share is reckoned.
func (a *app) listeningSince(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, a.listening.UnixNano())
}

func (a *app) health(w http.ResponseWriter, _ *http.Request) {
	if time.Since(a.listening) < a.readyAfter {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// checkHealth is the other side of health, for an image without a shell or curl. It returns an exit code.
func checkHealth(port string) int {
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get("http://127.0.0.1:" + port + "/healthz")
	if err != nil {
		fmt.Println("demo:", err)
		return 1
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		fmt.Println("demo:", response.Status)
		return 1
	}
	return 0
}
