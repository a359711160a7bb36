package integration

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestKilled(t *testing.T) { onEachReach(t, killed) }

// P3: kill -9 and a new start find the same containers, and bound visitors keep their seats.
func killed(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, sticky: true, replicas: {min: 2, max: 3}}
  other: {route: {host: other.test}}`})
	f.awaitReplicas(t, "hello", 2)
	visitors := []*visitor{f.visitor(t), f.visitor(t), f.visitor(t)}
	var met, bindings []string
	for _, v := range visitors {
		met = append(met, v.navigate(t, "hello", "/id"))
		bindings = append(bindings, v.binding("hello"))
	}
	visitors[0].get(t, "other", "/id")
	hello, other := ids(f.containers(t, "hello")), ids(f.containers(t, "other"))

	f.process.kill()
	f.start(t)
	for i, v := range visitors {
		if got := v.navigate(t, "hello", "/id"); got != met[i] {
			t.Errorf("visitor %d met %s, before it was %s", i, got, met[i])
		}
		if v.binding("hello") != bindings[i] {
			t.Errorf("visitor %d was bound anew", i)
		}
	}
	visitors[0].get(t, "other", "/id")
	f.awaitReplicas(t, "hello", 2)
	if now := ids(f.containers(t, "hello")); !slices.Equal(now, hello) {
		t.Errorf("hello had %v, now %v", hello, now)
	}
	if now := ids(f.containers(t, "other")); !slices.Equal(now, other) {
		t.Errorf("other had %v, now %v", other, now)
	}
	f.never(t, 0, "", journal.ReplicaStarted, journal.ReplicaReaped, journal.SurplusRemoved)
	if n := f.count(t, "hello", journal.ReplicaReadopted); n != 2 {
		t.Errorf("readopted %d times, want 2", n)
	}
	if n := f.app(t, "hello").Sessions; n != 3 {
		t.Errorf("%d sessions, want 3", n)
	}
}

// A reload names another main port, which the container that runs never had: after kill -9 it is asked where it listens,
// even if there was no time to write anything down.
func TestKilledAfterANewPort(t *testing.T) {
	t.Parallel()
	const apps = `
  hello: {route: {host: hello.test}, ready: {timeout: 2m}`
	f := launch(t, setup{Apps: apps + `}`})
	v := f.visitor(t)
	met := v.get(t, "hello", "/id")
	since := f.now(t)
	setup{Apps: apps + `, port: 8099}`}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)

	f.process.kill()
	if err := os.Remove(filepath.Join(f.state(), "replicas.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	f.start(t)
	if got := v.get(t, "hello", "/id"); got != met {
		t.Errorf("met %s, before it was %s", got, met)
	}
	f.outside.restart(f.only(t, "hello").ID)
	if got := v.get(t, "hello", "/id"); got != met {
		t.Errorf("after a restart from outside met %s, before it was %s", got, met)
	}
}
