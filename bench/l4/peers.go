package main

import (
	"context"
	"fmt"
	"net"

	"github.com/fairlead/fairlead/bench/harness"
)

// The peers' configurations. Each uses both cores and takes as many connections as the work has; all else is the peer's
// default. nginx gives UDP to its workers by SO_REUSEPORT, as its documentation has it.

const nginxConfig = `load_module {{.Modules}}/ngx_stream_module.so;
daemon off;
user root;
worker_processes auto;
worker_rlimit_nofile 40000;
pid {{.Dir}}/nginx.pid;
error_log {{.Dir}}/nginx-error.log warn;
events { worker_connections 19000; }
stream {
  upstream tcp { server {{.App}}; }
  upstream udp { server {{.App}}; }
  upstream joined { server {{.AppJoined}}; }
  proxy_timeout 1h;
  server { listen {{.Listen}} backlog=4096; proxy_pass tcp; }
  server { listen {{.Listen}} udp reuseport; proxy_pass udp; }
  server { listen {{.Joined}} udp reuseport; proxy_pass joined; }
}
`

// modules is where Debian puts nginx's.
const modules = "/usr/lib/nginx/modules"

const haproxyConfig = `global
  nbthread 2
  maxconn 9500
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend clients
  bind {{.Listen}} backlog 4096
  default_backend app
backend app
  server app {{.App}}
`

func (b *bench) start(ctx context.Context, name string) (p *proxy, err error) {
	if name == "fairlead" {
		return b.ours(), nil
	}
	joined, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(b.app)
	if err != nil {
		return nil, err
	}
	peer := harness.Peer{Name: name, Command: name, With: map[string]string{
		"App": b.app, "AppJoined": net.JoinHostPort(host, "8081"), "Joined": joined, "Modules": modules,
	}}
	switch name {
	case "nginx":
		peer.Release, peer.Config, peer.Args = harness.Release(name, "-v"), nginxConfig, []string{"-c"}
	case "haproxy":
		peer.Release, peer.Config, peer.Args = harness.Release(name, "-v"), haproxyConfig, []string{"-db", "-f"}
	default:
		return nil, fmt.Errorf("no such proxy: %q", name)
	}
	started, err := b.run.Peer(ctx, peer)
	return &proxy{started, joined}, err
}

func (b *bench) ours() *proxy {
	return &proxy{&harness.Proxy{
		Name: "fairlead", Release: harness.Release(harness.Binary, "version"), Address: b.listen, Process: b.fairlead.Process,
		Begin: func(ctx context.Context) (*harness.Process, error) {
			if err := b.fairlead.Again(ctx); err != nil {
				return nil, err
			}
			_, err := b.fairlead.Wake(ctx, "bench") // adopted
			return b.fairlead.Process, err
		},
	}, b.joined}
}
