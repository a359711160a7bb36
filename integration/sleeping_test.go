package integration

import (
	"net/http"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/fairlead/fairlead/journal"
)

func TestSleepStopped(t *testing.T) {
	t.Parallel()
	sleeps(t, `
  hello: {route: {host: hello.test}, idle: 1s, sleep: stop}`, container.StateExited)
}

// A rootless Podman on cgroup v1 cannot pause, and the app is stopped instead.
func TestSleepPaused(t *testing.T) {
	t.Parallel()
	want := container.StatePaused
	if kind == rootless {
		want = container.StateExited
	}
	sleeps(t, `
  hello: {route: {host: hello.test}, idle: 1s, sleep: pause}`, want)
}

// An image's VOLUME that the configuration does not cover would go with the container, so that one is kept.
func TestSleepWithVolume(t *testing.T) {
	t.Parallel()
	f := sleeps(t, `
  hello: {image: "localhost/fairlead-demo:volume", route: {host: hello.test}, idle: 1s}`, container.StateExited)
	if n := f.visitor(t).get(t, "hello", "/count?key=kept"); n != "1" {
		t.Errorf("the count is %s, want 1", n)
	}
}

// sleeps sees an idle app's container stay, and wake for the next visitor.
func sleeps(t *testing.T, apps string, state container.ContainerState) *fairlead {
	f := launch(t, setup{Apps: apps})
	v := f.visitor(t)
	served(t)(v.send(http.MethodPost, "hello", "/count?key=kept", nil))
	before := f.only(t, "hello")
	f.await(t, 0, "hello", journal.ReplicaStopped)
	if now := f.only(t, "hello"); now.ID != before.ID || now.State != state {
		t.Errorf("container %s is %s, want %s %s", now.ID, now.State, before.ID, state)
	}
	if row := f.row(t, "hello"); row.State != "asleep" {
		t.Errorf("the row is %+v", row)
	}
	v.get(t, "hello", "/id")
	if now := f.only(t, "hello"); now.ID != before.ID {
		t.Errorf("woke %s, want %s", now.ID, before.ID)
	}
	f.never(t, 0, "hello", journal.RestartDetected, journal.ReplicaReaped)
	return f
}
