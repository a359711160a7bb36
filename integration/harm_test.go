package integration

import (
	"maps"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// kill is docker kill.
func (o *outside) kill(id string) {
	o.t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	_, err := o.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "KILL"})
	o.check("kill", err)
}

// pause and what follows return the engine's refusal: rootless Podman needs cgroup v2 to pause, and has no network to
// take a container off.
func (o *outside) pause(id string) error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := o.ContainerPause(ctx, id, client.ContainerPauseOptions{})
	return err
}

func (o *outside) unpause(id string) error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := o.ContainerUnpause(ctx, id, client.ContainerUnpauseOptions{})
	return err
}

func (o *outside) disconnect(id string) (network string, err error) {
	ctx, cancel := bounded()
	defer cancel()
	networks := slices.Collect(maps.Keys(o.inspect(id).NetworkSettings.Networks))
	if len(networks) == 0 {
		networks = []string{"podman"} // the engine's default, where a rootless container is not
	}
	_, err = o.NetworkDisconnect(ctx, networks[0], client.NetworkDisconnectOptions{Container: id, Force: true})
	return networks[0], err
}

func (o *outside) connect(id, network string) error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := o.NetworkConnect(ctx, network, client.NetworkConnectOptions{Container: id})
	return err
}

// recreate is what updaters do: the container is removed, and another one of its name and settings started. Fairlead, which
// has a replacement by then, may take that one for surplus before it runs.
func (o *outside) recreate(id string) (now string) {
	o.t.Helper()
	old := o.inspect(id)
	o.remove(id)
	ctx, cancel := bounded()
	defer cancel()
	made, err := o.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name: strings.TrimPrefix(old.Name, "/"),
		Config: &container.Config{Image: old.Config.Image, Labels: old.Config.Labels, Env: old.Config.Env,
			ExposedPorts: old.Config.ExposedPorts},
		HostConfig: &container.HostConfig{Binds: old.HostConfig.Binds, PortBindings: old.HostConfig.PortBindings},
	})
	o.check("create", err)
	_, err = o.ContainerStart(ctx, made.ID, client.ContainerStartOptions{})
	if !errdefs.IsConflict(err) && !errdefs.IsNotFound(err) {
		o.check("start", err)
	}
	return made.ID
}
