package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

// subject is a proxy with an app behind it.
type subject struct {
	url     string
	outside *harness.Outside
	current func(ctx context.Context) (id string, err error) // the app's container now
	rerun   func(ctx context.Context) error                  // after a removal; nil: the proxy sees to it
}

func (b *bench) subject(ctx context.Context, url, proxy string) (*subject, error) {
	outside, err := b.run.NewOutside(url)
	if err != nil {
		return nil, err
	}
	switch proxy {
	case "fairlead":
		return b.fairlead(ctx, outside)
	case "caddy":
		return b.caddy(ctx, outside)
	default:
		return nil, fmt.Errorf("no such proxy: %q", proxy)
	}
}

func (b *bench) fairlead(ctx context.Context, outside *harness.Outside) (*subject, error) {
	f, err := b.run.Fairlead(ctx, harness.Config{URL: outside.URL, Image: image.Plain.Ref(), Apps: fmt.Sprintf(
		"  app: {route: {path: /}, replicas: {min: 0, max: 1}, env: {DEMO_BOOT: %s}}", b.boot)})
	if err != nil {
		return nil, err
	}
	current := func(ctx context.Context) (string, error) {
		replica, err := f.Wake(ctx, "app")
		return replica.Container, err
	}
	return &subject{url: "http://" + f.Address + "/id", outside: outside, current: current}, nil
}

// caddy is pointed at the engine's socket, and finds the app by the labels of its container.
func (b *bench) caddy(ctx context.Context, outside *harness.Outside) (*subject, error) {
	binary, err := harness.Caddy(ctx)
	if err != nil {
		return nil, err
	}
	address, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	admin, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	name := "bench-caddy-" + fmt.Sprint(os.Getpid())
	labels := map[string]string{"caddy": "http://" + address, "caddy.bind": "127.0.0.1", "caddy.reverse_proxy": "{{upstreams 8080}}"}
	run := func(ctx context.Context) error {
		_, err := outside.Run(ctx, name, &container.Config{
			Image: image.Plain.Ref(), Labels: labels, Env: []string{"DEMO_BOOT=" + b.boot.String()}})
		return err
	}
	if err := run(ctx); err != nil {
		return nil, err
	}
	b.run.Defer(func() { _ = outside.Remove(context.Background(), name) })
	env := []string{"DOCKER_HOST=" + outside.URL, "CADDY_ADMIN=" + admin, "CADDY_INGRESS_NETWORKS=bridge",
		"XDG_DATA_HOME=" + b.run.Dir, "XDG_CONFIG_HOME=" + b.run.Dir}
	process, err := b.run.Start(name, env, binary, "docker-proxy", "--mode", "standalone")
	if err != nil {
		return nil, err
	}
	if err := process.AwaitListening(ctx, address); err != nil {
		return nil, err
	}
	current := func(context.Context) (string, error) { return name, nil }
	return &subject{url: "http://" + address + "/id", outside: outside, current: current, rerun: run}, nil
}

// awaitServed returns when ten answers in a row were good.
func (s *subject) awaitServed(ctx context.Context) error {
	client := &http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for good := 0; good < 10; time.Sleep(50 * time.Millisecond) {
		v := get(ctx, client, s.url)
		good++
		if v.err != nil {
			good = 0
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the app is not served: %w", v.err)
		}
	}
	return nil
}
