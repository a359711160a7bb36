package podman

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	nettypes "github.com/containers/common/libnetwork/types"
	"github.com/containers/podman/v5/pkg/signal"
	"github.com/containers/podman/v5/pkg/specgen"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/fairlead/fairlead/runtime"
)

// generator writes a spec in libpod's words.
func (e *Engine) generator(ctx context.Context, spec runtime.Spec) (*specgen.SpecGenerator, error) {
	g := specgen.NewSpecGenerator(spec.Image, false)
	g.Name = spec.Name
	g.Entrypoint, g.Command = spec.Entrypoint, spec.Command
	g.Env = environment(spec.Env)
	g.Labels = make(map[string]string, len(spec.Labels)+1)
	maps.Copy(g.Labels, spec.Labels)
	g.User = spec.User
	g.RestartPolicy = "no"
	if spec.StopGrace > 0 {
		seconds := uint(runtime.GraceSeconds(spec.StopGrace))
		g.StopTimeout = &seconds
	}
	mount(g, spec)
	limit(g, spec)
	join(g, spec)
	for _, add := range []func(*specgen.SpecGenerator, runtime.Spec) error{stopSignal, secure} {
		if err := add(g, spec); err != nil {
			return nil, err
		}
	}
	return g, e.boundLog(ctx, g, spec.LogMaxSize)
}

func environment(pairs []string) map[string]string {
	env := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		env[key] = value
	}
	return env
}

func stopSignal(g *specgen.SpecGenerator, spec runtime.Spec) error {
	if spec.StopSignal == "" {
		return nil
	}
	number, err := signal.ParseSignalNameOrNumber(spec.StopSignal)
	if err != nil {
		return fmt.Errorf("stop signal %q: %w", spec.StopSignal, runtime.ErrInvalid)
	}
	g.StopSignal = &number
	return nil
}

func mount(g *specgen.SpecGenerator, spec runtime.Spec) {
	for _, v := range spec.Volumes {
		var options []string
		if words := v.Words(); len(words) > 0 {
			options = strings.Split(words[0], ",")
		}
		if filepath.IsAbs(v.Source) {
			bind := specs.Mount{Type: "bind", Source: v.Source, Destination: v.Target, Options: options}
			g.Mounts = append(g.Mounts, bind)
		} else {
			g.Volumes = append(g.Volumes, &specgen.NamedVolume{Name: v.Source, Dest: v.Target, Options: options})
		}
	}
	for _, t := range spec.Tmpfs {
		path, options, some := strings.Cut(t, ":")
		m := specs.Mount{Type: "tmpfs", Source: "tmpfs", Destination: path}
		if some {
			m.Options = strings.Split(options, ",")
		}
		g.Mounts = append(g.Mounts, m)
	}
}

// join chooses the network. Without one Podman's default is left: a bridge for root, slirp4netns or pasta for others.
func join(g *specgen.SpecGenerator, spec runtime.Spec) {
	for _, p := range spec.Ports {
		if p.Publish { // host port 0: Podman chooses a free one (case B049)
			g.PortMappings = append(g.PortMappings, nettypes.PortMapping{
				HostIP: p.HostIP, HostPort: hostPort(p), ContainerPort: uint16(p.Number), Protocol: p.Proto,
			})
		}
	}
	if len(spec.Networks) == 0 {
		return
	}
	if mode, special := networkMode(spec.Networks[0]); special {
		g.NetNS = mode
		return
	}
	g.NetNS = specgen.Namespace{NSMode: specgen.Bridge}
	g.Networks = make(map[string]nettypes.PerNetworkOptions, len(spec.Networks))
	for _, name := range spec.Networks {
		g.Networks[name] = nettypes.PerNetworkOptions{}
	}
	if len(spec.Networks) > 1 {
		g.Labels[labelNetwork] = spec.Networks[0]
	}
}

// networkMode knows the words that name a way of networking instead of a network.
func networkMode(word string) (specgen.Namespace, bool) {
	if holder, ok := strings.CutPrefix(word, "container:"); ok {
		return specgen.Namespace{NSMode: specgen.FromContainer, Value: holder}, true
	}
	switch word {
	case "host":
		return specgen.Namespace{NSMode: specgen.Host}, true
	case "none":
		return specgen.Namespace{NSMode: specgen.NoNetwork}, true
	case "bridge":
		return specgen.Namespace{NSMode: specgen.Bridge}, true
	case "slirp4netns":
		return specgen.Namespace{NSMode: specgen.Slirp}, true
	case "pasta":
		return specgen.Namespace{NSMode: specgen.Pasta}, true
	}
	return specgen.Namespace{}, false
}

// boundLog bounds the log where the engine's own driver takes a bound: journald refuses a container that asks for it,
// and json-file is another name of k8s-file here.
func (e *Engine) boundLog(ctx context.Context, g *specgen.SpecGenerator, maxSize int64) error {
	if maxSize <= 0 {
		return nil
	}
	raw, err := e.info.Last(ctx, e.askInfo)
	if err != nil {
		return err
	}
	if driver := raw.Host.LogDriver; driver == "k8s-file" || driver == "json-file" {
		g.LogConfiguration = &specgen.LogConfig{Driver: driver, Size: maxSize}
	}
	return nil
}
