package integration

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/runtime"
)

// fairlead is one instance: its files, which outlive a process, and the process that runs now.
type fairlead struct {
	instance string
	dir      string // short, since a socket's path must be
	endpoint string // of the admin API
	env      []string
	user     *user // who runs it; nil: we do
	outside  *outside
	process  *process
	admin    *admin.Client
}

// launch starts a Fairlead and waits until it is ready. At the end it is killed, and its containers are removed.
func launch(t *testing.T, s setup) *fairlead {
	t.Helper()
	dir, err := os.MkdirTemp("", "fl-")
	if err != nil {
		t.Fatal(err)
	}
	f := &fairlead{instance: "test-" + strings.ToLower(rand.Text()[:10]), dir: dir, env: s.Env, user: s.User, outside: newOutside(t, "")}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Cleanup(func() { f.outside.clean(f.instance) })
	t.Cleanup(func() { f.end(t) })
	s.write(t, f)
	f.start(t)
	return f
}

// start runs the binary on what the state directory holds.
func (f *fairlead) start(t *testing.T) {
	t.Helper()
	if f.user != nil {
		f.user.owns(t, f.dir)
		f.process = runAs(t, f.user.command, f)
	} else {
		f.process = runWith(t, f.env, f.file())
	}
	f.process.awaitListening(t)
	token, err := admin.ReadToken(f.state())
	if err == nil {
		f.admin, err = admin.NewClient(f.endpoint, token)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.awaitReady(t)
}

func (f *fairlead) awaitReady(t *testing.T) {
	t.Helper()
	eventually(t, "readyz", func() string {
		got, err := f.ask(http.MethodGet, "/readyz", nil)
		switch {
		case err != nil:
			return err.Error()
		case got.status != http.StatusOK:
			return got.body
		}
		return ""
	})
}

// end shows the log of a smoke that failed.
func (f *fairlead) end(t *testing.T) {
	if f.process == nil {
		return
	}
	if t.Failed() && f.admin != nil {
		f.tell(t)
	}
	f.process.kill()
}

func (f *fairlead) tell(t *testing.T) {
	ctx, cancel := bounded()
	defer cancel()
	apps, err := f.admin.Apps(ctx)
	t.Logf("apps: %+v %v", apps, err)
	left, err := f.outside.with(map[string]string{runtime.LabelInstance: f.instance})
	for _, c := range left {
		t.Logf("container %.12s %s %s %s", c.ID, c.Names, c.State, c.Status)
	}
	t.Logf("log of %s (%v):\n%s", f.instance, err, f.process.log.tail(150))
}

// containers are the app's on the engine under test, running or not.
func (f *fairlead) containers(t *testing.T, app string) []container.Summary {
	t.Helper()
	found, err := f.outside.with(map[string]string{runtime.LabelInstance: f.instance, runtime.LabelApp: app})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// only is the app's one container; any other number is a failure.
func (f *fairlead) only(t *testing.T, app string) container.Summary {
	t.Helper()
	found := f.containers(t, app)
	if len(found) != 1 {
		t.Fatalf("%s has %d containers, want exactly one: %v", app, len(found), ids(found))
	}
	return found[0]
}

// awaitNone waits until the engine has no container of the app.
func (f *fairlead) awaitNone(t *testing.T, app string) {
	t.Helper()
	eventually(t, "containers of "+app, func() string { return strings.Join(ids(f.containers(t, app)), " ") })
}

// awaitEnded waits until we have ended an app. `replica reaped` would tell of somebody else's doing, even if a look was
// faster than the engine's reply.
func (f *fairlead) awaitEnded(t *testing.T, app string) {
	t.Helper()
	f.awaitGone(t, app)
	f.await(t, 0, app, journal.ReplicaStopped)
	f.never(t, 0, app, journal.ReplicaReaped)
}

// awaitGone waits until the app has no row any more, and then no container.
func (f *fairlead) awaitGone(t *testing.T, app string) {
	t.Helper()
	eventually(t, "rows of "+app, func() string { return f.describe(t, app) })
	f.awaitNone(t, app)
}

// describe is empty if the app has no row.
func (f *fairlead) describe(t *testing.T, app string) (text string) {
	t.Helper()
	for _, row := range f.rows(t, app) {
		text += row.ID + " " + row.State + " "
	}
	return text
}

// rows are the app's in the pool.
func (f *fairlead) rows(t *testing.T, app string) []admin.Replica {
	t.Helper()
	return f.app(t, app).Replicas
}

// row is the app's one row.
func (f *fairlead) row(t *testing.T, app string) admin.Replica {
	t.Helper()
	rows := f.rows(t, app)
	if len(rows) != 1 {
		t.Fatalf("%s has %d rows, want exactly one: %+v", app, len(rows), rows)
	}
	return rows[0]
}

func (f *fairlead) app(t *testing.T, name string) admin.App {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	app, err := f.admin.App(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// awaitReplicas waits until so many replicas of the app are ready.
func (f *fairlead) awaitReplicas(t *testing.T, app string, n int) []admin.Replica {
	t.Helper()
	var ready []admin.Replica
	eventually(t, "ready replicas of "+app, func() string {
		ready = nil
		for _, row := range f.rows(t, app) {
			if row.State == "ready" && !row.Suspect {
				ready = append(ready, row)
			}
		}
		if len(ready) == n {
			return ""
		}
		return f.app(t, app).State
	})
	return ready
}
