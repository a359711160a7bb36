package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/credentials"
	"github.com/fairlead/fairlead/runtime/docker"
	"github.com/fairlead/fairlead/runtime/podman"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

// open asks what answers at the host's address and returns the engine for it. A Podman behind DOCKER_HOST is spoken to
// as a Podman.
func open(ctx context.Context, host conf.Host, instance string) (runtime.Engine, runtime.Info, error) {
	way, err := wayTo(host)
	if err != nil {
		return nil, runtime.Info{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, host.Timeout)
	defer cancel()
	way.Instance = instance
	kind, err := runtime.KindAt(ctx, way.URL, way.TLS, way.SSH)
	if err != nil {
		return nil, runtime.Info{}, err
	}
	engine, err := engineOf(kind, way)
	if err != nil {
		return nil, runtime.Info{}, err
	}
	info, err := engine.Info(ctx)
	if err != nil {
		return nil, runtime.Info{}, errors.Join(err, engine.Close())
	}
	return engine, info, nil
}

// wayTo reads certificates anew, so that replaced ones count at the next attempt.
func wayTo(host conf.Host) (runtime.Options, error) {
	way := runtime.Options{URL: host.URL, SSH: tunnel.SSHOf(os.Getenv), Logins: credentials.For}
	way.SSH.Identity, way.SSH.KnownHosts = host.Identity, host.KnownHosts
	if host.TLS == nil {
		return way, nil
	}
	secure, err := runtime.TLSFiles(*host.TLS).Config()
	way.TLS = secure
	return way, err
}

func engineOf(kind runtime.Kind, way runtime.Options) (runtime.Engine, error) {
	if kind == runtime.Podman {
		return podman.New(way)
	}
	return docker.New(way)
}

// search finds an engine when the configuration names none.
func search(ctx context.Context, getenv func(string) string, say func(string)) (conf.Host, error) {
	for _, candidate := range runtime.Candidates(getenv) {
		host := conf.HostAt(candidate.URL)
		engine, info, err := open(ctx, host, "search")
		if err != nil {
			say(fmt.Sprintf("no engine answers at %s (%s): %v", candidate.URL, candidate.Why, err))
			continue
		}
		_ = engine.Close()
		say(fmt.Sprintf("using %s %s at %s (%s)", info.Kind, info.Release, candidate.URL, candidate.Why))
		return host, nil
	}
	return conf.Host{}, runtime.ErrNoEngine
}
