package daemon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/scaler"
)

// site is an app at a fixed address, which answers with its name.
func site(t *testing.T, name, path string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }))
	t.Cleanup(server.Close)
	return fmt.Sprintf("%s: {upstream: %q, route: {path: %s}}", name, server.URL, path)
}

// configured is a configuration without engines.
func configured(t *testing.T, apps ...string) conf.Source {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf("listen: {http: \"127.0.0.1:0\", admin: \"\"}\nlog: {access: {path: \"off\"}}\nstate: %s\n"+
		"shutdown: {grace: 0s}\napps:\n", dir)
	for _, app := range apps {
		text += "  " + app + "\n"
	}
	file := filepath.Join(dir, "fairlead.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return conf.Source{Paths: []string{file}}
}

func loaded(t *testing.T, source conf.Source) *conf.Config {
	t.Helper()
	config, err := conf.Load(source)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// running is a daemon that serves.
func running(t *testing.T, source conf.Source) *daemon {
	t.Helper()
	d, config, err := build(Options{Source: source, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { d.shutdown(func() { stop(); d.apps.loops.Wait() }) })
	if err := d.apply(ctx, config); err != nil {
		t.Fatal(err)
	}
	return d
}

// page is what a visitor gets.
func (d *daemon) page(t *testing.T) string {
	t.Helper()
	resp, err := http.Get("http://" + d.http.addresses()[0] + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// P7: a route that moves from one app to another, which comes or goes with the same change, leads to one of the two all the
// time. What is only prepared changes nothing.
func TestRouteThatMovesIsServed(t *testing.T) {
	one, two := site(t, "one", "/"), site(t, "two", "/")
	d := running(t, configured(t, one))
	if got := d.page(t); got != "one" {
		t.Fatalf("got %q", got)
	}
	next := loaded(t, configured(t, two))
	prepared, err := d.prepare(next)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.page(t); got != "one" {
		t.Errorf("when the change is prepared: %q", got)
	}
	prepared.cancel()
	if err := d.apply(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if got := d.page(t); got != "two" {
		t.Errorf("when it is applied: %q", got)
	}
}

// An app that comes back at the moment when the last of it goes is there.
func TestAppThatComesBackStays(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a := &apps{pool: pool.New(), scaler: &scaler.Scaler{Hosts: func() []scaler.HostView { return nil },
		Journal: journal.New(quiet), Log: quiet}}
	defer a.loops.Wait()
	defer stop()
	with, without := loaded(t, configured(t, site(t, "one", "/"))), loaded(t, configured(t))
	for range 5000 {
		a.bring(ctx, with, nil)
		for range 3 {
			goruntime.Gosched()
		}
		if a.pool.App("one") == nil {
			t.Fatal("a configured app was dropped")
		}
		a.retire(without)
	}
}

// What a reload brings that an operator asked for over the API ends with the daemon, as all else does: it held its end up for
// ever.
func TestReloadOverTheAPIEnds(t *testing.T) {
	source := configured(t, site(t, "one", "/one"))
	d, config, err := build(Options{Source: source, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	working, stop := context.WithCancel(t.Context())
	defer stop()
	if err := d.apply(working, config); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source.Paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source.Paths[0], append(text, "  "+site(t, "two", "/two")+"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	request, answered := context.WithCancel(t.Context())
	if err := (control{d, working}).Reload(request); err != nil {
		t.Fatal(err)
	}
	answered()
	two := d.pool.App("two")
	if two == nil {
		t.Fatal("the app is not there")
	}
	ended := make(chan struct{})
	d.shutdown(func() {
		stop()
		go func() { d.apps.loops.Wait(); close(ended) }()
	})
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("an app's loop goes on after the daemon's end")
	}
}
