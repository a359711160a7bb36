package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestStoppedAndNotWanted(t *testing.T) { onEachReach(t, stoppedAndNotWanted) }

// Nobody waits and min is 0: past the window the stopped container is removed, and nothing takes its place.
func stoppedAndNotWanted(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, restart_grace: 2s}`})
	f.visitor(t).get(t, "hello", "/id")
	container := f.only(t, "hello").ID
	f.outside.stop(container)
	f.await(t, 0, "hello", journal.RestartDetected)
	if event := f.await(t, 0, "hello", journal.RestartTimedOut); event.Container != container {
		t.Errorf("%+v is of another container than %s", event, container)
	}
	f.await(t, 0, "hello", journal.ReplicaReaped)
	f.awaitNone(t, "hello")
	if rows := f.rows(t, "hello"); len(rows) != 0 {
		t.Errorf("rows are left: %+v", rows)
	}
	if n := f.count(t, "hello", journal.ReplicaStarted); n != 1 {
		t.Errorf("%d replicas were started, want only the first", n)
	}
}

func TestStoppedAndWaitedFor(t *testing.T) { onEachReach(t, stoppedAndWaitedFor) }

// The same container is started again by us, for the visitor who waits.
func stoppedAndWaitedFor(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}}`})
	v := f.visitor(t)
	replica := v.get(t, "hello", "/id")
	container := f.only(t, "hello").ID
	f.outside.stop(container)
	f.await(t, 0, "hello", journal.RestartDetected)
	if got := v.get(t, "hello", "/id"); got != replica {
		t.Errorf("served by %s, want %s", got, replica)
	}
	f.await(t, 0, "hello", journal.ReplicaReadopted)
	f.never(t, 0, "hello", journal.ReplicaReaped, journal.RestartTimedOut)
	if f.only(t, "hello").ID != container {
		t.Error("another container took its place")
	}
}

func TestStoppedForGood(t *testing.T) { onEachReach(t, stoppedForGood) }

// It cannot be started again: past the window it is removed and replaced.
func stoppedForGood(t *testing.T, reach string) {
	source := newSource(t)
	f := launch(t, setup{Reach: reach, Apps: `
  hello:
    route: {host: hello.test}
    replicas: {min: 1, max: 1}
    restart_grace: 4s
    volumes: ["` + string(source) + `:/content:ro"]`})
	before := f.awaitReplicas(t, "hello", 1)[0]
	source.spoil(t)
	f.outside.stop(before.Container)
	f.await(t, 0, "hello", journal.RestartTimedOut)
	f.await(t, 0, "hello", journal.ReplicaReaped)
	source.mend(t)
	after := f.awaitReplicas(t, "hello", 1)[0]
	if after.Container == before.Container || f.only(t, "hello").ID != after.Container {
		t.Errorf("the row was %+v, now %+v", before, after)
	}
	if !strings.Contains(f.process.log.tail(1<<20), "starting a stopped container again failed") {
		t.Error("nobody tried to start it again")
	}
	served(t)(f.visitor(t).send(http.MethodGet, "hello", "/id", nil))
}

// source is a directory of the host's that a container mounts.
type source string

func newSource(t *testing.T) source {
	t.Helper()
	parent, err := os.MkdirTemp("", "fl-source-")
	if err == nil {
		err = os.Chmod(parent, 0o755) // a rootless engine is another user
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(parent) })
	s := source(filepath.Join(parent, "content"))
	s.mend(t)
	return s
}

// spoil puts a file where the directory was: no engine mounts that over a directory, while a missing one Docker makes.
func (s source) spoil(t *testing.T) {
	t.Helper()
	err := os.RemoveAll(string(s))
	if err == nil {
		err = os.WriteFile(string(s), nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s source) mend(t *testing.T) {
	t.Helper()
	err := os.RemoveAll(string(s))
	if err == nil {
		err = os.Mkdir(string(s), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
