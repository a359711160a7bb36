package integration

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
)

func TestRestartedBetweenPasses(t *testing.T) {
	onEachReach(t, func(t *testing.T, reach string) {
		restarted(t, setup{Reach: reach, Reconcile: "3s", Apps: `
  hello: {route: {host: hello.test}, sticky: true}`})
	})
}

func TestRestartedAcrossPasses(t *testing.T) {
	onEachReach(t, func(t *testing.T, reach string) {
		restarted(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, sticky: true, env: {DEMO_BOOT: 3s}}`})
	})
}

// P3, P5: a restarted container is the same replica in another start: it serves again once it is ready, to sessions of
// its own.
func restarted(t *testing.T, s setup) {
	f := launch(t, s)
	v := f.visitor(t)
	replica := v.get(t, "hello", "/id")
	v.navigate(t, "hello", "/id")
	binding, before := v.binding("hello"), f.row(t, "hello")
	if before.Sessions != 1 {
		t.Fatalf("%d sessions, want 1", before.Sessions)
	}
	f.outside.restart(before.Container)
	f.await(t, 0, "hello", journal.RestartDetected)
	if n := f.row(t, "hello").Sessions; n != 0 {
		t.Errorf("%d sessions outlived the start that they were made in", n)
	}
	// It comes while the app boots, and is held until the new start is ready.
	held := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "hello", "/listening", nil)
		return reply{got, err}
	})
	readopted := f.await(t, 0, "hello", journal.ReplicaReadopted)
	if readopted.Replica != replica || readopted.Container != before.Container {
		t.Errorf("readopted %+v, want replica %s in container %s", readopted, replica, before.Container)
	}
	got := settled(t, "the held request", held)
	if stamp := listening(t, served(t)(got.answer, got.err)); readopted.Time.Before(stamp) {
		t.Errorf("readopted at %s, but the app listens only since %s", readopted.Time, stamp)
	}
	after := f.row(t, "hello")
	if after.Container != before.Container || after.ID != replica || after.Started == before.Started {
		t.Errorf("the row was %+v, now %+v", before, after)
	}
	if f.only(t, "hello").ID != before.Container {
		t.Error("another container took its place")
	}
	v.navigate(t, "hello", "/id")
	if v.binding("hello") == binding {
		t.Error("the binding to the old start is still the visitor's")
	}
	if n := f.count(t, "hello", journal.ReplicaReadopted); n != 1 {
		t.Errorf("readopted %d times, want once", n)
	}
}

// listening reads the demo app's stamp of its listen.
func listening(t *testing.T, text string) time.Time {
	t.Helper()
	nanos, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(0, nanos)
}
