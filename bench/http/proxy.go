package main

import (
	"context"
	"fmt"

	"github.com/fairlead/fairlead/bench/harness"
)

func (b *bench) start(ctx context.Context, name, app string) (*proxy, error) {
	switch name {
	case bare:
		return b.bare, nil
	case full:
		return b.startFull(ctx)
	}
	secure, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	peer, err := peerOf(ctx, name)
	if err != nil {
		return nil, err
	}
	peer.Name = name
	peer.With = map[string]string{"App": app, "Secure": secure, "Cert": b.pair.Cert, "Key": b.pair.Key, "Both": b.pair.Both}
	started, err := b.run.Peer(ctx, peer)
	return &proxy{Proxy: started, secure: secure, app: b.bare.app}, err
}

func peerOf(ctx context.Context, name string) (harness.Peer, error) {
	switch name {
	case "nginx":
		return harness.Peer{Command: name, Release: harness.Release(name, "-v"), Args: []string{"-c"}, Config: nginxConfig}, nil
	case "haproxy":
		return harness.Peer{Command: name, Release: harness.Release(name, "-v"), Args: []string{"-db", "-f"}, Config: haproxyConfig}, nil
	case "caddy":
		binary, err := harness.Caddy(ctx)
		return harness.Peer{Command: binary, Release: harness.Release(binary, "version"),
			Args: []string{"run", "--adapter", "caddyfile", "--config"}, Config: caddyConfig}, err
	default:
		return harness.Peer{}, fmt.Errorf("no such proxy: %q", name)
	}
}
