package integration

import (
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestRemoved(t *testing.T) { onEachReach(t, removed) }

// docker rm -f: the row goes with the container, another takes its place, and whoever was bound to it is bound anew.
func removed(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, sticky: true, replicas: {min: 1, max: 2}}
  other: {route: {host: other.test}, replicas: {min: 1}}`})
	f.awaitReplicas(t, "hello", 1)
	other := f.awaitReplicas(t, "other", 1)[0]
	v := f.visitor(t)
	old, binding := v.navigate(t, "hello", "/id"), v.binding("hello")
	if binding == "" {
		t.Fatal("no sticky cookie")
	}
	f.outside.remove(f.only(t, "hello").ID)
	if event := f.await(t, 0, "hello", journal.ReplicaReaped); event.Replica != old || event.Host != "local" {
		t.Errorf("reaped %+v, want replica %s", event, old)
	}
	replacement := f.awaitReplicas(t, "hello", 1)[0].ID
	if got := v.navigate(t, "hello", "/id"); got != replacement || got == old {
		t.Errorf("served by %s, want the replacement %s", got, replacement)
	}
	if v.binding("hello") == binding {
		t.Error("the old cookie was left to the visitor")
	}
	if id := f.only(t, "hello").ID; id != f.row(t, "hello").Container {
		t.Errorf("the engine has %s, the pool %s", id, f.row(t, "hello").Container)
	}
	if now := f.row(t, "other"); now.Container != other.Container || now.Started != other.Started {
		t.Errorf("the other app's replica was %+v, now %+v", other, now)
	}
}
