package docker

import (
	"context"
	"slices"

	"github.com/docker/docker/api/types/system"

	"github.com/fairlead/fairlead/runtime"
)

// Info asks the engine; nothing is remembered, so that it serves as a ping.
func (e *Engine) Info(ctx context.Context) (runtime.Info, error) {
	c, err := e.client(ctx)
	if err != nil {
		return runtime.Info{}, err
	}
	info, err := e.askInfo(ctx)
	if err != nil {
		return runtime.Info{}, err
	}
	rootless := slices.Contains(info.SecurityOptions, "name=rootless")
	cgroupV2 := info.CgroupVersion == "2"
	return runtime.Info{
		Kind:     runtime.Docker,
		Release:  info.ServerVersion,
		API:      c.ClientVersion(),
		Rootless: rootless,
		Identity: info.ID,
		Place:    info.Name + ":" + info.DockerRootDir,
		CgroupV2: cgroupV2,
		CanPause: !rootless || cgroupV2,
	}, nil
}

// Identity is the daemon's own id, kept in its data folder.
func (e *Engine) Identity(ctx context.Context) (string, error) {
	info, err := e.info.Get(ctx, e.askInfo)
	return info.ID, err
}

func (e *Engine) askInfo(ctx context.Context) (system.Info, error) {
	c, err := e.client(ctx)
	if err != nil {
		return system.Info{}, err
	}
	info, err := c.Info(ctx)
	return info, explain("info", err)
}
