package integration

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	ports "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/journal"
)

func TestAdoptByName(t *testing.T) { onEachReach(t, adoptByName) }

// P9: a container that somebody else made is started for a visitor, stopped when nobody uses it, found again after it was
// made anew, and never made or removed.
func adoptByName(t *testing.T, reach string) {
	engine := newOutside(t, "")
	name := "theirs-" + reach + "-" + strings.ToLower(rand.Text()[:10])
	theirs := engine.make(name, nil)
	f := launch(t, setup{Reach: reach, Apps: fmt.Sprintf(`
  hello: {adopt: {name: %s}, image: null, route: {host: hello.test}, sticky: true, idle: 2s, session_idle: 1s}
  other: {route: {host: other.test}}`, name)})
	v := f.visitor(t)

	v.get(t, "hello", "/id")
	since := f.now(t)
	f.await(t, since, "hello", journal.ReplicaStopped)
	if state := engine.inspect(theirs).State; state.Running {
		t.Errorf("nobody uses it, and it is %s", state.Status)
	}
	since = f.now(t)
	v.get(t, "hello", "/id")
	if row := f.row(t, "hello"); row.Container != theirs {
		t.Errorf("served by %s, want %s", row.Container, theirs)
	}

	engine.restart(theirs)
	v.get(t, "hello", "/id")
	engine.remove(theirs)
	again := engine.make(name, nil)
	v.get(t, "hello", "/id")
	if row := f.row(t, "hello"); row.Container != again {
		t.Errorf("served by %s, want the one that was made anew, %s", row.Container, again)
	}
	f.command(t, "restart", "hello")
	f.await(t, since, "hello", journal.ReplicaStopped)
	v.get(t, "hello", "/id")
	f.command(t, "clean")
	v.get(t, "hello", "/id")

	setup{Reach: reach, Apps: `
  other: {route: {host: other.test}}`}.write(t, f)
	eventually(t, "the app that is gone", func() string {
		got, err := f.ask(http.MethodGet, "/api/apps/hello", nil)
		if err != nil || got.status != http.StatusNotFound {
			return got.body
		}
		return ""
	})
	if state := engine.inspect(again).State; !state.Running {
		t.Errorf("nobody adopts it any more, and it is %s", state.Status)
	}
	if all, err := engine.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("name", name)}); err != nil || len(all.Items) != 1 {
		t.Errorf("containers of that name: %v %v", all.Items, err)
	}
}

// All that carry a label share the visitors, those that run and those that stand; one that is not there is told.
func TestAdoptByLabel(t *testing.T) {
	t.Parallel()
	engine := newOutside(t, "")
	name := "theirs-" + strings.ToLower(rand.Text()[:10])
	labels := map[string]string{"fairlead.test": name}
	made := map[string]bool{engine.make(name+"-a", labels): true, engine.make(name+"-b", labels): true}
	f := launch(t, setup{Reach: reaches()[0], Apps: fmt.Sprintf(`
  hello: {adopt: {label: "fairlead.test=%s"}, image: null, route: {host: hello.test}, replicas: {min: 2, max: 2}}
  nobody: {adopt: {name: %s-nobody}, image: null, route: {host: nobody.test}}`, name, name)})
	for _, row := range f.awaitReplicas(t, "hello", 2) {
		if !made[row.Container] {
			t.Errorf("%s was adopted", row.Container)
		}
		engine.stop(row.Container) // min has it started again
	}
	since := f.now(t)
	f.await(t, since, "hello", journal.ReplicaReadopted)
	f.awaitReplicas(t, "hello", 2)

	got, err := f.visitor(t).send(http.MethodGet, "nobody", "/id", nil)
	if err != nil || got.status != http.StatusServiceUnavailable || got.header.Get("Fairlead-Reason") != "failed" {
		t.Errorf("nobody made it: got %d %v %v", got.status, got.header, err)
	}
	f.process.kill()
	f.start(t)
	for _, row := range f.awaitReplicas(t, "hello", 2) {
		if !made[row.Container] {
			t.Errorf("after kill -9, %s was adopted", row.Container)
		}
	}
}

// make makes a container of the demo app without starting it, as `docker create -p 127.0.0.1::8080` does.
func (o *outside) make(name string, labels map[string]string) (id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	port := ports.MustParsePort("8080/tcp")
	made, err := o.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:   name,
		Config: &container.Config{Image: image.Plain.Ref(), Labels: labels, ExposedPorts: ports.PortSet{port: {}}},
		HostConfig: &container.HostConfig{PortBindings: ports.PortMap{
			port: {{HostIP: netip.MustParseAddr("127.0.0.1")}},
		}},
	})
	o.check("create", err)
	o.t.Cleanup(func() { o.drop(made.ID) })
	return made.ID
}
