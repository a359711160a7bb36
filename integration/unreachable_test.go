package integration

import (
	"os"
	"testing"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/journal"
)

func TestUnreachable(t *testing.T) { onEachReach(t, unreachable) }

// P1, P8: with the engine out of reach, however it fails, those who are served go on being served; nothing is pruned and
// nothing is duplicated, then or afterwards.
func unreachable(t *testing.T, reach string) {
	w := newWire(t, host)
	f := launch(t, setup{Reach: reach, URL: w.url(), Timeout: "2s", Apps: `
  hello: {route: {host: hello.test}, sticky: true, replicas: {min: 1, max: 3}}`})
	before := f.awaitReplicas(t, "hello", 1)[0]
	v := f.visitor(t)
	replica := v.navigate(t, "hello", "/id")
	for _, fault := range []fault{cut, hung, failing} {
		f.awaitHost(t, "local", admin.HostOK) // a busy engine may have been too slow for a look
		since := f.now(t)
		w.set(t, fault)
		f.await(t, since, "", journal.HostUnknown)
		for range 5 {
			if got := v.get(t, "hello", "/id"); got != replica {
				t.Errorf("%s: served by %q, want %s", fault, got, replica)
			}
		}
		w.set(t, whole)
		f.await(t, since, "", journal.HostRecovered)
		f.never(t, since, "hello", journal.RestartDetected, journal.ReplicaReaped, journal.ReplicaStarted)
		after := f.row(t, "hello")
		if after.Container != before.Container || after.Started != before.Started || f.only(t, "hello").ID != before.Container {
			t.Errorf("%s: the row was %+v, now %+v", fault, before, after)
		}
	}
	if v.navigate(t, "hello", "/id") != replica {
		t.Error("the visitor lost his replica")
	}
}

// P6: with one of two hosts cut off, the other starts and serves as ever, and who is served by either, under load, notices
// nothing (P8).
func TestOneHostUnreachable(t *testing.T) {
	t.Parallel()
	second := anotherEngine(t)
	ctx, cancel := bounded()
	defer cancel()
	if _, err := image.Build(ctx, second); err != nil {
		t.Fatal(err)
	}
	w, dir := newWire(t, second), newPosts(t)
	dir.shared(t, "both")
	f := launch(t, setup{Hosts: `  far: {url: "` + w.url() + `", timeout: 2s}`, Apps: `
  near: {route: {host: near.test}, hosts: local}
  far: {route: {host: far.test}, hosts: far}` + dir.app("other", "") + `
  both:
    route: {host: both.test}
    replicas: {min: 2, max: 2}
    volumes: ["` + string(dir) + `:/posts"]
    env: {DEMO_NAME: both, DEMO_POSTS: /posts/both}`})
	there := newOutside(t, second)
	t.Cleanup(func() { there.clean(f.instance) })
	f.awaitReplicas(t, "both", 2)
	v := f.visitor(t)
	far := v.get(t, "far", "/id")
	f.awaitHost(t, "far", admin.HostOK)
	f.awaitReplicas(t, "other", 1)
	since := f.now(t)
	l := f.load(t, dir, "both")
	w.set(t, hung)
	f.await(t, since, "", journal.HostUnknown)
	v.get(t, "near", "/id")
	for range 4 {
		v.get(t, "both", "/id")
		if v.get(t, "far", "/id") != far {
			t.Error("the far app's replica is another")
		}
	}
	f.only(t, "near")
	l.alive(t)
	w.set(t, whole)
	f.await(t, since, "", journal.HostRecovered)
	f.never(t, since, "", journal.ReplicaReaped, journal.RestartDetected, journal.SurplusRemoved)
	f.awaitReplicas(t, "both", 2)
	l.alive(t)
	l.end(t, "one of two hosts cut off")
	if v.get(t, "far", "/id") != far {
		t.Error("the far app's replica is another")
	}
}

// anotherEngine is one beside the engine under test: two hosts of one engine are one too many.
func anotherEngine(t *testing.T) string {
	t.Helper()
	others := map[string]string{docker: "FAIRLEAD_TEST_DOCKER", podman: "FAIRLEAD_TEST_PODMAN"}
	for _, name := range []string{podman, docker} {
		if url := os.Getenv(others[name]); url != "" && name != kind {
			return url
		}
	}
	t.Skip("there is no second engine")
	return ""
}
