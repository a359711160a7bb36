// Package docker is the engine behind a Docker socket.
//
//	engine, err := docker.New(runtime.Options{URL: "unix:///var/run/docker.sock", Instance: "main"})
//	report, err := engine.ReplicaLiveness(ctx, queries)
//
// New connects to nothing; the API version is negotiated with the first call, and again after every new connection.
// Each call maps to one request of Docker's API where one is enough, and its outcome to the errors of package runtime:
// errors.go says how. What inspect and list answer is turned into runtime.Container in inspect.go.
//
// The package knows nothing of Podman, which answers the same API with differences of its own: Ping tells them apart,
// and package podman is the engine for it. Docker's own quirks end here: names with a slash, a health that may be nil,
// framed logs, networks that cannot be given at creation, pull errors inside a stream that began with 200.
package docker

import (
	"context"

	"github.com/docker/docker/api/types/system"

	"github.com/fairlead/fairlead/runtime"
)

// Engine is one Docker daemon. It implements runtime.Engine, runtime.Inspector and runtime.EventSource.
type Engine struct {
	options runtime.Options
	socket  *runtime.Socket
	api     runtime.Memo[session]
	info    runtime.Memo[system.Info]
}

var (
	_ runtime.Engine      = (*Engine)(nil)
	_ runtime.EventSource = (*Engine)(nil)
	_ runtime.Inspector   = (*Engine)(nil)
	_ runtime.Fetcher     = (*Engine)(nil)
)

// New prepares an engine and connects to nothing.
func New(options runtime.Options) (*Engine, error) {
	socket, err := runtime.NewSocket(options.URL, options.TLS, options.SSH)
	if err != nil {
		return nil, err
	}
	e := &Engine{options: options, socket: socket}
	e.api.Socket, e.info.Socket = socket, socket
	return e, nil
}

// ReplicaLiveness makes one look, as runtime.Look defines it.
func (e *Engine) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	return runtime.Look(ctx, e, e.options.Instance, queries)
}

// Close ends idle connections.
func (e *Engine) Close() error {
	e.socket.Close()
	return nil
}
