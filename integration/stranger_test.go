package integration

import (
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
)

// P9: docker commit copies our labels into an image, and so into a stranger's container. The name tells it from ours.
func TestStranger(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1, max: 1}}
  gone: {route: {host: gone.test}}`})
	v := f.visitor(t)
	mine := v.get(t, "hello", "/id")
	v.get(t, "gone", "/id")
	strangers := []string{f.copied(t, "hello"), f.copied(t, "gone")}

	setup{Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1, max: 1}}`}.write(t, f)
	f.awaitOurs(t, "gone", 0)
	for range 4 {
		if got := v.get(t, "hello", "/id"); got != mine {
			t.Errorf("served by %s, want %s", got, mine)
		}
	}
	f.row(t, "hello")
	ctx, cancel := bounded()
	defer cancel()
	if _, err := f.admin.Clean(ctx); err != nil {
		t.Error(err)
	}
	for _, id := range strangers {
		if state := f.outside.inspect(id).State; !state.Running || state.Pid == 0 {
			t.Errorf("the stranger's container is %s", state.Status)
		}
	}
}

// copied runs a stranger's container from a copy of the app's.
func (f *fairlead) copied(t *testing.T, app string) (id string) {
	t.Helper()
	ours := f.only(t, app)
	name := f.instance + "-stranger-" + app
	if kind == rootless { // Podman 4.3 cannot commit through its socket there
		return f.outside.run(image.Plain.Ref(), name, ours.Labels)
	}
	ctx, cancel := bounded()
	defer cancel()
	reference := "localhost/fairlead-copy:" + name
	_, err := f.outside.ContainerCommit(ctx, ours.ID, client.ContainerCommitOptions{Reference: reference, Config: &container.Config{}})
	f.outside.check("commit", err)
	t.Cleanup(func() {
		ctx, cancel := bounded()
		defer cancel()
		_, _ = f.outside.ImageRemove(ctx, reference, client.ImageRemoveOptions{Force: true})
	})
	id = f.outside.run(reference, name, nil)
	if f.outside.inspect(id).Config.Labels[runtime.LabelInstance] != f.instance {
		t.Fatal("the copy has no label of ours: it proves nothing")
	}
	return id
}

// awaitOurs waits until so many of the app's containers have one of our names.
func (f *fairlead) awaitOurs(t *testing.T, app string, n int) {
	t.Helper()
	eventually(t, "our containers of "+app, func() string {
		ours := 0
		for _, c := range f.containers(t, app) {
			for _, name := range c.Names {
				if len(name) > 10 && name[1:10] == "fairlead-" {
					ours++
				}
			}
		}
		if ours == n {
			return ""
		}
		return "others"
	})
}
