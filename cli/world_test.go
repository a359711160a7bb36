package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

const testToken = "open sesame"

// world is a Fairlead with three apps, as the command line sees it.
type world struct {
	now     time.Time
	pool    *pool.Pool
	journal *journal.Journal
	control *control
	server  *httptest.Server
	address string
	state   string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{now: time.Now(), pool: pool.New(), state: t.TempDir()}
	w.control = &control{world: w}
	w.app("docs", pool.Policy{Max: 1, Port: 80})
	broken := w.app("broken", pool.Policy{Max: 2, Port: 80})
	broken.SetFailure(&pool.Failure{Reason: "crashed", Detail: "exit code 3\npanic: no database",
		Tries: 2, Until: w.now.Add(90 * time.Second)})
	hello := w.app("hello", pool.Policy{Max: 4, Port: 8080, Sticky: true, Spec: "new"})
	w.replica(hello, "r1", 2, "new")
	w.replica(hello, "r2", 3, "old")
	hello.Settle("r2", 0, func(r *pool.Row) bool { r.Suspected("its connections ended"); return true })
	hello.Admit(pool.Visitor{Open: true})
	w.listen(t)
	return w
}

func (w *world) app(name string, policy pool.Policy) *pool.App {
	app := pool.NewApp(name, policy)
	w.pool.Add(app)
	return app
}

func (w *world) replica(app *pool.App, id string, last byte, spec string) {
	port := app.Snapshot().Policy.Port
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 17, 0, last}), uint16(port))
	started := w.now.Add(-time.Duration(last) * 65 * time.Minute).UTC().Format(time.RFC3339Nano)
	_, _ = app.Reserve(id, 0, func(r *pool.Row) { r.Host, r.Spec = "local", spec })
	app.Settle(id, 0, func(r *pool.Row) bool {
		r.BecomeReady(pool.NewUpstream("c0ffee", started, map[int]pool.Endpoint{port: {Addr: address, Direct: true}}))
		return true
	})
}

func (w *world) listen(t *testing.T) {
	j := journal.New(slog.New(slog.DiscardHandler))
	w.journal = j
	j.Record(journal.Event{Word: journal.ReplicaStarted, App: "hello", Replica: "r1", Container: "c0ffee0123456789",
		Host: "local", Trigger: journal.Operator})
	j.Record(journal.Event{Word: journal.StartFailed, App: "broken", Replica: "b1", Cause: "exit code 3"})
	w.server = httptest.NewServer(admin.New(admin.Options{
		Pool: w.pool, Journal: j, Control: w.control, Token: testToken, Version: "1.2.3",
		Fleet: runtime.NewFleet(&runtime.Host{Name: "local"}, &runtime.Host{Name: "lab"}),
		Hosts: func() []admin.HostStatus {
			return []admin.HostStatus{{Name: "local", State: admin.HostOK, Engine: "podman", Release: "5.4.2",
				Rootless: true, Reach: "published", URL: "unix:///run/user/1000/podman/podman.sock"}}
		},
	}))
	t.Cleanup(w.server.Close)
	w.address = w.server.Listener.Addr().String()
}

// nowhere is an address of this machine at which nobody listens.
func nowhere(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// program is the command line of an operator of that world.
func (w *world) program(environ ...string) (p *Program, stdout, stderr *strings.Builder) {
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	p = &Program{Version: "1.2.3", Stdout: stdout, Stderr: stderr, Now: func() time.Time { return w.now }}
	p.Environ = append([]string{"HOME=" + w.state, "STATE_DIRECTORY=" + w.state}, environ...)
	p.Run = w.control.run(p)
	return p, stdout, stderr
}

// control notes what it is asked for.
type control struct {
	world *world
	asked []string
	logs  func(admin.LogOptions) io.ReadCloser
}

func (c *control) note(format string, args ...any) {
	c.asked = append(c.asked, fmt.Sprintf(format, args...))
}

func (c *control) Wake(app string) error {
	c.note("wake %s", app)
	if app == "docs" {
		c.world.replica(c.world.pool.App(app), "d1", 9, "")
	}
	return nil
}

func (c *control) Sleep(app string) error { c.note("sleep %s", app); return nil }

func (c *control) Restart(app string) error {
	c.note("restart %s", app)
	if app == "docs" {
		return fmt.Errorf("nothing of docs runs: %w", admin.ErrRefused)
	}
	return nil
}

func (c *control) ForgetHost(host string) error {
	c.note("forget %s", host)
	if host != "lab" {
		return fmt.Errorf("host %q: %w", host, runtime.ErrNoHost)
	}
	return nil
}

func (c *control) Reload(context.Context) error { c.note("reload"); return nil }

func (c *control) Clean(context.Context) (int, error) { c.note("clean"); return 1, nil }

func (c *control) Logs(_ context.Context, app string, o admin.LogOptions) (io.ReadCloser, error) {
	c.note("logs %s %+v", app, o)
	if c.logs != nil {
		return c.logs(o), nil
	}
	return io.NopCloser(strings.NewReader("listening\nGET / 200\n")), nil
}
