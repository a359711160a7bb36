package docker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-connections/nat"
	"github.com/docker/go-units"

	"github.com/fairlead/fairlead/runtime"
)

func config(spec runtime.Spec) *container.Config {
	c := &container.Config{
		Image:        spec.Image,
		Entrypoint:   spec.Entrypoint,
		Cmd:          spec.Command,
		Env:          spec.Env,
		User:         spec.User,
		Labels:       maps.Clone(spec.Labels),
		StopSignal:   spec.StopSignal,
		ExposedPorts: nat.PortSet{},
	}
	if spec.StopGrace > 0 {
		seconds := runtime.GraceSeconds(spec.StopGrace)
		c.StopTimeout = &seconds
	}
	for _, p := range spec.Ports {
		c.ExposedPorts[portOf(p)] = struct{}{}
	}
	return c
}

func (e *Engine) hostConfig(ctx context.Context, spec runtime.Spec) (*container.HostConfig, error) {
	if spec.Userns != "" && spec.Userns != "host" {
		return nil, fmt.Errorf("userns %q: Docker knows only host: %w", spec.Userns, runtime.ErrInvalid)
	}
	h := &container.HostConfig{
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
		Binds:         binds(spec.Volumes),
		Tmpfs:         tmpfs(spec.Tmpfs),
		PortBindings:  portBindings(spec.Ports),
		UsernsMode:    container.UsernsMode(spec.Userns),
		CapAdd:        spec.CapAdd,
		CapDrop:       spec.CapDrop,
		SecurityOpt:   slices.Clone(spec.SecurityOpt),
		ShmSize:       spec.ShmSize,
		Resources:     resources(spec),
	}
	if len(spec.Networks) > 0 {
		h.NetworkMode = container.NetworkMode(spec.Networks[0])
	}
	if !spec.NewPrivilege {
		h.SecurityOpt = append(h.SecurityOpt, "no-new-privileges:true")
	}
	var err error
	h.LogConfig, err = e.logConfig(ctx, spec.LogMaxSize)
	return h, err
}

func resources(spec runtime.Spec) container.Resources {
	r := container.Resources{Memory: spec.Memory, NanoCPUs: int64(spec.CPUs * 1e9)}
	if spec.PidsLimit != 0 {
		r.PidsLimit = &spec.PidsLimit
	}
	for _, d := range spec.Devices {
		r.Devices = append(r.Devices, device(d))
	}
	for _, u := range spec.Ulimits {
		r.Ulimits = append(r.Ulimits, &units.Ulimit{Name: u.Name, Soft: u.Soft, Hard: u.Hard})
	}
	return r
}

// logConfig bounds the log with the daemon's own driver, where that one takes a bound: journald, for one, refuses a
// container that asks for it.
func (e *Engine) logConfig(ctx context.Context, maxSize int64) (container.LogConfig, error) {
	if maxSize <= 0 {
		return container.LogConfig{}, nil
	}
	info, err := e.info.Last(ctx, e.askInfo)
	if err != nil {
		return container.LogConfig{}, err
	}
	if info.LoggingDriver != "json-file" && info.LoggingDriver != "local" {
		return container.LogConfig{}, nil
	}
	bound := map[string]string{"max-size": strconv.FormatInt(maxSize, 10)}
	return container.LogConfig{Type: info.LoggingDriver, Config: bound}, nil
}

func portOf(p runtime.Port) nat.Port {
	return nat.Port(strconv.Itoa(p.Number) + "/" + cmp.Or(p.Proto, "tcp"))
}

func portBindings(ports []runtime.Port) nat.PortMap {
	bindings := nat.PortMap{}
	for _, p := range ports {
		if p.Publish { // no host port: the engine chooses a free one (case B049)
			bindings[portOf(p)] = []nat.PortBinding{{HostIP: p.HostIP}}
		}
	}
	return bindings
}

func binds(volumes []runtime.Volume) []string {
	var written []string
	for _, v := range volumes {
		written = append(written, strings.Join(append([]string{v.Source, v.Target}, v.Words()...), ":"))
	}
	return written
}

func tmpfs(paths []string) map[string]string {
	mounts := make(map[string]string, len(paths))
	for _, p := range paths {
		path, options, _ := strings.Cut(p, ":")
		mounts[path] = options
	}
	return mounts
}

// device reads host[:container[:permissions]].
func device(written string) container.DeviceMapping {
	parts := strings.SplitN(written, ":", 3)
	d := container.DeviceMapping{PathOnHost: parts[0], PathInContainer: parts[0], CgroupPermissions: "rwm"}
	if len(parts) > 1 {
		d.PathInContainer = parts[1]
	}
	if len(parts) > 2 {
		d.CgroupPermissions = parts[2]
	}
	return d
}
