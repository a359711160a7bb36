package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The releases that are built. The module proxy lists none of the second, and serves this one.
const (
	caddyRelease  = "v2.11.9"
	dockerRelease = "v2.10.0"
)

const caddyMain = `package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	_ "github.com/lucaslorentz/caddy-docker-proxy/v2"
)

func main() { caddycmd.Main() }
`

const caddyModule = `module bench.local/caddy

go 1.26.0

require (
	github.com/caddyserver/caddy/v2 ` + caddyRelease + `
	github.com/lucaslorentz/caddy-docker-proxy/v2 ` + dockerRelease + `
)
`

// Caddy builds caddy with its docker-proxy from Go modules, in a module of its own, unless that was done before. It
// takes a few minutes the first time.
func Caddy(ctx context.Context) (binary string, err error) {
	binary, err = filepath.Abs("bin/bench/caddy-" + caddyRelease)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	dir, err := os.MkdirTemp("", "bench-caddy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"main.go": caddyMain, "go.mod": caddyModule} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-trimpath", "-ldflags=-s -w", "-o", binary, "."}} {
		step := exec.CommandContext(ctx, "go", args...)
		step.Dir, step.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
		if said, err := step.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build caddy: go %s: %w: %s", args[0], err, said[max(0, len(said)-300):])
		}
	}
	return binary, nil
}
