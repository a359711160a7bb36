package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/bench/harness"
)

// Fairlead as it is compared with the others, and with what an operator would have on.
const (
	bare = "fairlead"
	full = "fairlead-all"
)

func (b *bench) startBare(ctx context.Context) (*proxy, admin.Replica, error) {
	return b.startOurs(ctx, bare, harness.Config{Apps: "  bench: {route: {path: /}, replicas: {min: 1, max: 1}}"})
}

// startFull has sessions with their leases, metrics, and an access log.
func (b *bench) startFull(ctx context.Context) (*proxy, error) {
	count, err := harness.FreeAddress()
	if err != nil {
		return nil, err
	}
	p, _, err := b.startOurs(ctx, full, harness.Config{
		Access: b.run.Path("access.log"), Count: count,
		Apps: "  bench: {route: {path: /}, sticky: true, seats: 100, replicas: {min: 1, max: 1}}",
	})
	if err != nil {
		return nil, err
	}
	p.cookie, err = session(ctx, "http://"+p.Address+"/b/100")
	return p, err
}

func (b *bench) startOurs(ctx context.Context, name string, config harness.Config) (p *proxy, at admin.Replica, err error) {
	config.URL, config.Image, config.Pair = b.engine, backendImage, b.pair
	if config.Secure, err = harness.FreeAddress(); err != nil {
		return nil, at, err
	}
	p = &proxy{secure: config.Secure}
	if b.profile {
		config.Binary, p.profiler = b.run.Path("profiled"), b.run.Path(name+".sock")
		config.Env = []string{"BENCH_PPROF=" + p.profiler}
	}
	f, err := b.run.Fairlead(ctx, config)
	if err != nil {
		return nil, at, err
	}
	p.Proxy = renewable(name, f)
	if at, err = f.Wake(ctx, "bench"); err != nil {
		return nil, at, err
	}
	outside, err := b.run.NewOutside(b.engine)
	if err != nil {
		return nil, at, err
	}
	p.app, err = outside.PID(ctx, at.Container)
	return p, at, err
}

func renewable(name string, f *harness.Fairlead) *harness.Proxy {
	return &harness.Proxy{
		Name: name, Release: harness.Release(harness.Binary, "version"), Address: f.Address, Process: f.Process,
		Begin: func(ctx context.Context) (*harness.Process, error) {
			if err := f.Again(ctx); err != nil {
				return nil, err
			}
			_, err := f.Wake(ctx, "bench") // adopted
			return f.Process, err
		},
	}
}

// session returns the cookies that a browser's first visit gives, as it sends them with the next. Only a navigation
// opens a session.
func session(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	for _, field := range browser {
		name, value, _ := strings.Cut(field, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var pairs []string
	for _, cookie := range response.Cookies() {
		pairs = append(pairs, cookie.Name+"="+cookie.Value)
	}
	if len(pairs) == 0 {
		return "", fmt.Errorf("%s gives no session: %s", url, response.Status)
	}
	return strings.Join(pairs, "; "), nil
}
