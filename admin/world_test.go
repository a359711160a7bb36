package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

const testToken = "open sesame"

// world is an API over an app "hello" with one ready replica and an app "asleep" with none.
type world struct {
	Options
	hello, asleep *pool.App
	control       *control
	handler       http.Handler
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{control: &control{t: t}}
	w.hello = pool.NewApp("hello", pool.Policy{Max: 3, Port: 8080, Sticky: true, Seats: 10, Idle: -1, Spec: "new"})
	w.asleep = pool.NewApp("asleep", pool.Policy{Max: 1, Port: 80})
	p := pool.New()
	p.Add(w.hello)
	p.Add(w.asleep)
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector(p))
	w.Options = Options{
		Pool:     p,
		Fleet:    runtime.NewFleet(&runtime.Host{Name: "local"}, &runtime.Host{Name: "lab"}),
		Journal:  journal.New(slog.New(slog.DiscardHandler)),
		Control:  w.control,
		Token:    testToken,
		Gatherer: registry,
		Version:  "1.2.3",
		Hosts:    func() []HostStatus { return []HostStatus{{Name: "local", State: HostOK, Engine: "docker"}} },
	}
	w.serve(w.hello, "r1")
	w.handler = New(w.Options)
	return w
}

// serve puts a ready replica in.
func (w *world) serve(app *pool.App, id string) {
	port := app.Snapshot().Policy.Port
	endpoint := pool.Endpoint{Addr: netip.AddrPortFrom(netip.MustParseAddr("172.17.0.2"), uint16(port))}
	_, _ = app.Reserve(id, 0, func(r *pool.Row) { r.Host, r.Spec = "local", "new" })
	_, _ = app.Settle(id, 0, func(r *pool.Row) bool {
		r.BecomeReady(pool.NewUpstream("c0ffee", "2026-11-30T04:00:00Z", map[int]pool.Endpoint{port: endpoint}))
		return true
	})
}

// do sends a request as the command line does, with the token.
func (w *world) do(method, path string) *httptest.ResponseRecorder {
	return w.send(method, path, http.Header{"Authorization": {"Bearer " + testToken}})
}

func (w *world) send(method, path string, header http.Header) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://127.0.0.1:9900"+path, nil)
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, req)
	return recorder
}

func decoded[T any](t *testing.T, body io.Reader) (v T) {
	t.Helper()
	if err := json.NewDecoder(body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// control fails the test on every call that the test did not arrange.
type control struct {
	t      *testing.T
	ask    func(what, name string) error
	reload func(context.Context) error
	logs   func(context.Context, string, LogOptions) (io.ReadCloser, error)
	clean  func(context.Context) (int, error)
}

func (c *control) asked(what, name string) error {
	if c.ask == nil {
		c.t.Errorf("unexpected: %s %s", what, name)
		return fmt.Errorf("unexpected")
	}
	return c.ask(what, name)
}

func (c *control) Wake(app string) error        { return c.asked("wake", app) }
func (c *control) Sleep(app string) error       { return c.asked("sleep", app) }
func (c *control) Restart(app string) error     { return c.asked("restart", app) }
func (c *control) ForgetHost(host string) error { return c.asked("forget", host) }

func (c *control) Reload(ctx context.Context) error {
	if c.reload == nil {
		return c.asked("reload", "")
	}
	return c.reload(ctx)
}

func (c *control) Clean(ctx context.Context) (int, error) {
	if c.clean == nil {
		return 0, c.asked("clean", "")
	}
	return c.clean(ctx)
}

func (c *control) Logs(ctx context.Context, app string, o LogOptions) (io.ReadCloser, error) {
	if c.logs == nil {
		return nil, c.asked("logs", app)
	}
	return c.logs(ctx, app, o)
}

func wantProblem(t *testing.T, got *httptest.ResponseRecorder, status int, words string) {
	t.Helper()
	if got.Code != status || got.Header().Get("Content-Type") != problemType {
		t.Fatalf("got %d, %s, want %d as a problem:\n%s", got.Code, got.Header().Get("Content-Type"), status, got.Body)
	}
	p := decoded[Problem](t, got.Body)
	if p.Status != status || !strings.Contains(p.Detail, words) {
		t.Errorf("got %+v, want status %d and %q", p, status, words)
	}
}
