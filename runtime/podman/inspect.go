package podman

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/containers/podman/v5/libpod/define"
	"github.com/containers/podman/v5/pkg/bindings/containers"

	"github.com/fairlead/fairlead/runtime"
)

// labelNetwork remembers which of several networks was asked for first, since libpod keeps no order.
const labelNetwork = "fairlead.network"

// List returns all containers with the instance's label.
func (e *Engine) List(ctx context.Context) ([]runtime.Container, error) {
	return e.Labelled(ctx, runtime.LabelInstance+"="+e.options.Instance)
}

// Labelled lists the containers that carry a label.
func (e *Engine) Labelled(ctx context.Context, label string) ([]runtime.Container, error) {
	bound, err := e.bind(ctx)
	if err != nil {
		return nil, err
	}
	filters := map[string][]string{"label": {label}}
	listed, err := containers.List(bound, new(containers.ListOptions).WithAll(true).WithFilters(filters))
	if err != nil {
		return nil, explain("list", err)
	}
	found := make([]runtime.Container, 0, len(listed))
	for _, l := range listed {
		if l.IsInfra { // it has its pod's labels, and runs nothing (case B043)
			continue
		}
		c := runtime.Container{ID: l.ID, Image: l.Image, Labels: l.Labels, Status: statusOf(l.State)}
		if len(l.Names) > 0 {
			c.Name = l.Names[0]
		}
		found = append(found, c)
	}
	return found, nil
}

// Inspect returns the container of exactly that id or name. Podman would also take an id's beginning.
func (e *Engine) Inspect(ctx context.Context, idOrName string) (runtime.Container, error) {
	raw, err := e.inspect(ctx, idOrName)
	if err != nil {
		return runtime.Container{}, err
	}
	c := translate(raw)
	if c.ID != idOrName && c.Name != idOrName {
		return runtime.Container{}, fmt.Errorf("inspect %s: only %s matches: %w", idOrName, c.Name, runtime.ErrNotFound)
	}
	if holder, shared := strings.CutPrefix(raw.HostConfig.NetworkMode, "container:"); shared {
		return e.borrowNetwork(ctx, c, holder)
	}
	return c, nil
}

func (e *Engine) inspect(ctx context.Context, idOrName string) (*define.InspectContainerData, error) {
	bound, err := e.bindTo(ctx, idOrName)
	if err != nil {
		return nil, err
	}
	raw, err := containers.Inspect(bound, idOrName, nil)
	if err != nil {
		return nil, explain("inspect "+idOrName, err)
	}
	if raw.State == nil || raw.Config == nil || raw.HostConfig == nil {
		return nil, fmt.Errorf("inspect %s: the answer describes no container", idOrName)
	}
	return raw, nil
}

// borrowNetwork fills in the addresses of the container whose network this one shares: a pod's infra container, for
// one (case B037). Once that one is gone there are none.
func (e *Engine) borrowNetwork(ctx context.Context, c runtime.Container, holder string) (runtime.Container, error) {
	raw, err := e.inspect(ctx, holder)
	if errors.Is(err, runtime.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("network of %s: %w", c.Name, err)
	}
	if lender := translate(raw); lender.Runs() {
		c.IPs, c.Networks, c.Published, c.PublishedUDP = lender.IPs, lender.Networks, lender.Published, lender.PublishedUDP
	}
	return c, nil
}

func translate(raw *define.InspectContainerData) runtime.Container {
	c := runtime.Container{
		ID:         raw.ID,
		Name:       raw.Name,
		Image:      raw.ImageName,
		Labels:     raw.Config.Labels,
		Status:     statusOf(raw.State.Status),
		Start:      written(raw.State.StartedAt),
		ExitCode:   int(raw.State.ExitCode),
		OOM:        raw.State.OOMKilled,
		FinishedAt: written(raw.State.FinishedAt),
	}
	if raw.State.Health != nil { // 4.3 sends one without a status where there is no health check
		c.Health = raw.State.Health.Status
	}
	for _, m := range raw.Mounts {
		if m.Type == "volume" && runtime.AnonymousVolume(m.Name) {
			c.AnonymousVolumes++
		}
	}
	if raw.HostConfig.NetworkMode == "host" {
		c.IPs = []netip.Addr{runtime.Loopback()} // case B046
	} else if settings := raw.NetworkSettings; settings != nil && c.Runs() {
		c.Networks = addresses(settings)
		c.IPs = runtime.Flatten(c.Networks, raw.Config.Labels[labelNetwork])
		c.Published, c.PublishedUDP = published(settings.Ports, "tcp"), published(settings.Ports, "udp")
	}
	return c
}

// statusOf maps libpod's states to Docker's. A stopping one still has its processes.
func statusOf(state string) runtime.Status {
	switch state {
	case "configured", "initialized":
		return runtime.StatusCreated
	case "stopped":
		return runtime.StatusExited
	case "stopping":
		return runtime.StatusRunning
	default:
		return runtime.Status(state)
	}
}

func written(at time.Time) string {
	if at.IsZero() || at.Unix() <= 0 {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func addresses(settings *define.InspectNetworkSettings) map[string][]netip.Addr {
	found := make(map[string][]netip.Addr, len(settings.Networks))
	for name, n := range settings.Networks {
		if n != nil {
			found[name] = runtime.AppendAddr(nil, n.IPAddress, n.GlobalIPv6Address)
		}
	}
	return found
}

// published takes the first usable binding of each port of that protocol.
func published(ports map[string][]define.InspectHostPort, proto string) map[int]netip.AddrPort {
	found := make(map[int]netip.AddrPort)
	for port, bindings := range ports {
		number, of, _ := strings.Cut(port, "/")
		n, err := strconv.Atoi(number)
		if err != nil || of != proto {
			continue
		}
		for _, b := range bindings {
			at, ok := runtime.PublishedAt(b.HostIP, b.HostPort)
			if _, taken := found[n]; ok && !taken {
				found[n] = at
			}
		}
	}
	return found
}
