package integration

import (
	"crypto/rand"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/fairlead/fairlead/integration/image"
)

func TestHostNetwork(t *testing.T) { onEachReach(t, hostNetwork) }

// case B046: a container in the host's network has no address of its own and publishes nothing. It answers on loopback.
func hostNetwork(t *testing.T, reach string) {
	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	engine := newOutside(t, "")
	theirs := engine.inHost("theirs-host-"+strings.ToLower(rand.Text()[:10]), port)
	f := launch(t, setup{Reach: reach, Apps: fmt.Sprintf(`
  hello: {adopt: {name: %s}, image: null, route: {host: hello.test}, port: %s}`, engine.inspect(theirs).Name[1:], port)})
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	if row := f.row(t, "hello"); row.Upstream != "127.0.0.1:"+port {
		t.Errorf("reached at %s", row.Upstream)
	}
	engine.restart(theirs)
	v.get(t, "hello", "/id")
}

// inHost makes a container as `docker create --network host` does.
func (o *outside) inHost(name, port string) (id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	made, err := o.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: image.Plain.Ref(), Cmd: []string{"-port", port}},
		HostConfig: &container.HostConfig{NetworkMode: "host"},
	})
	o.check("create", err)
	o.t.Cleanup(func() { o.drop(made.ID) })
	return made.ID
}
