package docker

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/go-connections/nat"

	"github.com/fairlead/fairlead/runtime"
)

// List returns all containers with the instance's label.
func (e *Engine) List(ctx context.Context) ([]runtime.Container, error) {
	return e.Labelled(ctx, runtime.LabelInstance+"="+e.options.Instance)
}

// Labelled lists the containers that carry a label.
func (e *Engine) Labelled(ctx context.Context, label string) ([]runtime.Container, error) {
	c, err := e.client(ctx)
	if err != nil {
		return nil, err
	}
	listed, err := c.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", label))})
	if err != nil {
		return nil, explain("list", err)
	}
	found := make([]runtime.Container, 0, len(listed))
	for _, l := range listed {
		found = append(found, summary(l))
	}
	return found, nil
}

func summary(l container.Summary) runtime.Container {
	c := runtime.Container{ID: l.ID, Image: l.Image, Labels: l.Labels, Status: runtime.Status(l.State)}
	for _, name := range l.Names {
		// Links add names of the form /other/alias.
		if name = strings.TrimPrefix(name, "/"); !strings.Contains(name, "/") {
			c.Name = name
		}
	}
	return c
}

// Inspect returns the container of exactly that id or name. Docker would also take an id's beginning.
func (e *Engine) Inspect(ctx context.Context, idOrName string) (runtime.Container, error) {
	raw, err := e.inspect(ctx, idOrName)
	if err != nil {
		return runtime.Container{}, err
	}
	c := translate(raw)
	if c.ID != idOrName && c.Name != idOrName {
		return runtime.Container{}, fmt.Errorf("inspect %s: only %s matches: %w", idOrName, c.Name, runtime.ErrNotFound)
	}
	if holder := raw.HostConfig.NetworkMode.ConnectedContainer(); holder != "" {
		return e.borrowNetwork(ctx, c, holder)
	}
	return c, nil
}

func (e *Engine) inspect(ctx context.Context, idOrName string) (container.InspectResponse, error) {
	c, err := e.on(ctx, idOrName)
	if err != nil {
		return container.InspectResponse{}, err
	}
	raw, err := c.ContainerInspect(ctx, idOrName)
	if err != nil {
		return container.InspectResponse{}, explain("inspect "+idOrName, err)
	}
	if raw.ContainerJSONBase == nil || raw.State == nil || raw.Config == nil || raw.HostConfig == nil {
		return container.InspectResponse{}, fmt.Errorf("inspect %s: the answer describes no container", idOrName)
	}
	return raw, nil
}

// borrowNetwork fills in the addresses of the container whose network this one shares (case B037). Once that one is
// gone there are none.
func (e *Engine) borrowNetwork(ctx context.Context, c runtime.Container, holder string) (runtime.Container, error) {
	raw, err := e.inspect(ctx, holder)
	if errors.Is(err, runtime.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("network of %s: %w", c.Name, err)
	}
	lender := translate(raw)
	if lender.Runs() {
		c.IPs, c.Networks, c.Published, c.PublishedUDP = lender.IPs, lender.Networks, lender.Published, lender.PublishedUDP
	}
	return c, nil
}

func translate(raw container.InspectResponse) runtime.Container {
	c := runtime.Container{
		ID:         raw.ID,
		Name:       strings.TrimPrefix(raw.Name, "/"),
		Image:      raw.Config.Image,
		Labels:     raw.Config.Labels,
		Status:     runtime.Status(raw.State.Status),
		Start:      started(raw.State.StartedAt),
		ExitCode:   raw.State.ExitCode,
		OOM:        raw.State.OOMKilled,
		FinishedAt: started(raw.State.FinishedAt),
	}
	if health := raw.State.Health; health != nil && health.Status != container.NoHealthcheck {
		c.Health = health.Status
	}
	for _, m := range raw.Mounts {
		if m.Type == mount.TypeVolume && runtime.AnonymousVolume(m.Name) {
			c.AnonymousVolumes++
		}
	}
	if raw.HostConfig.NetworkMode.IsHost() {
		c.IPs = []netip.Addr{runtime.Loopback()} // case B046
	} else if raw.NetworkSettings != nil {
		c.Networks = addresses(raw.NetworkSettings.Networks)
		c.IPs = runtime.Flatten(c.Networks, raw.HostConfig.NetworkMode.NetworkName())
		c.Published = published(raw.NetworkSettings.Ports, "tcp")
		c.PublishedUDP = published(raw.NetworkSettings.Ports, "udp")
	}
	return c
}

// started drops the year 1 that Docker writes for "never".
func started(at string) string {
	if strings.HasPrefix(at, "0001-") {
		return ""
	}
	return at
}

func addresses(endpoints map[string]*network.EndpointSettings) map[string][]netip.Addr {
	found := make(map[string][]netip.Addr, len(endpoints))
	for name, n := range endpoints {
		if n != nil {
			found[name] = runtime.AppendAddr(nil, n.IPAddress, n.GlobalIPv6Address)
		}
	}
	return found
}

// published takes the first usable binding of each port of that protocol. IPv4 comes first in Docker's own order.
func published(ports nat.PortMap, proto string) map[int]netip.AddrPort {
	found := make(map[int]netip.AddrPort)
	for port, bindings := range ports {
		for _, b := range bindings {
			at, ok := runtime.PublishedAt(b.HostIP, b.HostPort)
			if _, taken := found[port.Int()]; ok && !taken && port.Proto() == proto {
				found[port.Int()] = at
			}
		}
	}
	return found
}
