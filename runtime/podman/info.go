package podman

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/containers/podman/v5/libpod/define"
	"github.com/containers/podman/v5/pkg/bindings/system"

	"github.com/fairlead/fairlead/runtime"
)

// Info asks the engine; nothing is remembered, so that it serves as a ping.
func (e *Engine) Info(ctx context.Context) (runtime.Info, error) {
	raw, err := e.askInfo(ctx)
	if err != nil {
		return runtime.Info{}, err
	}
	cgroupV2 := raw.Host.CgroupsVersion == "v2"
	rootless := raw.Host.Security.Rootless
	return runtime.Info{
		Kind:     runtime.Podman,
		Release:  raw.Version.Version,
		API:      raw.Version.APIVersion,
		Rootless: rootless,
		Identity: identity(raw),
		Place:    raw.Host.Hostname,
		CgroupV2: cgroupV2,
		CanPause: canPause(raw),
	}, nil
}

// Identity is where the engine keeps its containers, and whose they are. The host's name is no part of it: it changes.
func (e *Engine) Identity(ctx context.Context) (string, error) {
	raw, err := e.info.Get(ctx, e.askInfo)
	if err != nil {
		return "", err
	}
	return identity(raw), nil
}

func identity(raw *define.Info) string {
	return "podman:" + raw.Store.GraphRoot + ":" + strconv.Itoa(owner(raw))
}

// owner is the user that the engine runs as: whom root inside a container is outside.
func owner(raw *define.Info) int {
	for _, m := range raw.Host.IDMappings.UIDMap {
		if m.ContainerID == 0 {
			return m.HostID
		}
	}
	return 0
}

// canPause: the freezer of cgroup v1 is not delegated to users.
func canPause(raw *define.Info) bool {
	return !raw.Host.Security.Rootless || raw.Host.CgroupsVersion == "v2"
}

func (e *Engine) askInfo(ctx context.Context) (*define.Info, error) {
	bound, err := e.bind(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := system.Info(bound, nil)
	if err != nil {
		return nil, explain("info", err)
	}
	if raw.Host == nil || raw.Store == nil || raw.Store.GraphRoot == "" {
		return nil, fmt.Errorf("info: %w", errors.New("the answer describes no engine"))
	}
	return raw, nil
}
