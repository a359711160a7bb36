package integration

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/fairlead/fairlead/runtime"
)

// outside is somebody else with access to the engine's socket, by way of testcontainers: Docker and Podman both take
// Docker's API from him.
type outside struct {
	*client.Client
	t *testing.T
}

// newOutside reaches an engine; that of the environment if url is empty.
func newOutside(t *testing.T, url string) *outside {
	t.Helper()
	var options []client.Opt
	if url != "" {
		options = append(options, client.WithHost(url))
	}
	c, err := testcontainers.NewDockerClientWithOpts(context.Background(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &outside{c.Client, t}
}

// bounded is a context for one call; it lives through cleanups, which t.Context does not.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

func (o *outside) check(doing string, err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatalf("%s from outside: %v", doing, err)
	}
}

// remove is docker rm -f.
func (o *outside) remove(id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	_, err := o.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	o.check("remove", err)
}

// restart is docker restart with a second's grace.
func (o *outside) restart(id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	grace := 1
	_, err := o.ContainerRestart(ctx, id, client.ContainerRestartOptions{Timeout: &grace})
	o.check("restart", err)
}

func (o *outside) stop(id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	grace := 1
	_, err := o.ContainerStop(ctx, id, client.ContainerStopOptions{Timeout: &grace})
	o.check("stop", err)
}

func (o *outside) inspect(id string) container.InspectResponse {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	got, err := o.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	o.check("inspect", err)
	return got.Container
}

// run starts a container of the outsider's own and takes it away at the end.
func (o *outside) run(image, name string, labels map[string]string) (id string) {
	o.t.Helper()
	return o.runAs(client.ContainerCreateOptions{Name: name, Config: &container.Config{Image: image, Labels: labels}})
}

func (o *outside) runAs(options client.ContainerCreateOptions) (id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	made, err := o.ContainerCreate(ctx, options)
	o.check("create", err)
	o.t.Cleanup(func() { o.drop(made.ID) })
	_, err = o.ContainerStart(ctx, made.ID, client.ContainerStartOptions{})
	o.check("start", err)
	return made.ID
}

// with lists the containers, running or not, that have all of the labels.
func (o *outside) with(labels map[string]string) ([]container.Summary, error) {
	ctx, cancel := bounded()
	defer cancel()
	filters := client.Filters{}
	for key, value := range labels {
		filters = filters.Add("label", key+"="+value)
	}
	found, err := o.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	return found.Items, err
}

// clean removes all of an instance; engines may be slow to let go of what is being removed already.
func (o *outside) clean(instance string) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(between) {
		left, err := o.with(map[string]string{runtime.LabelInstance: instance})
		if err == nil && len(left) == 0 {
			return
		}
		for _, c := range left {
			o.drop(c.ID)
		}
	}
	o.t.Errorf("containers of %s are left", instance)
}

// drop removes without a word: whoever calls it looks at what is left.
func (o *outside) drop(id string) {
	ctx, cancel := bounded()
	defer cancel()
	_, _ = o.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
}

func ids(list []container.Summary) []string {
	var all []string
	for _, c := range list {
		all = append(all, c.ID)
	}
	slices.Sort(all)
	return all
}
