// Package podman is the engine behind a Podman socket, rootful or rootless.
//
//	engine, err := podman.New(runtime.Options{URL: "unix:///run/user/1000/podman/podman.sock", Instance: "main"})
//	report, err := engine.ReplicaLiveness(ctx, queries)
//
// It goes through Podman's own Go bindings, which speak the libpod API; New connects to nothing. connection.go keeps
// what the bindings do around a request (three tries with sleeps between them, whatever the context says) away from
// the callers. create.go writes libpod's container spec, inspect.go reads its answers, errors.go maps its failures to
// those of package runtime.
//
// The package absorbs Podman's quirks: libpod answers 500 where Docker says 409, knows states that Docker does not,
// cannot pause rootless on cgroup v1, and resolves no short image names. The Docker API of the same socket is used for
// nothing. Podman before 4.0 is not supported.
package podman

import (
	"context"

	"github.com/containers/podman/v5/libpod/define"
	"github.com/containers/podman/v5/pkg/bindings"

	"github.com/fairlead/fairlead/runtime"
)

// Engine is one Podman service. It implements runtime.Engine, runtime.Inspector and runtime.EventSource.
type Engine struct {
	options    runtime.Options
	socket     *runtime.Socket
	connection *bindings.Connection
	version    runtime.Memo[string]
	info       runtime.Memo[*define.Info]
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
	e := &Engine{options: options, socket: socket, connection: connectionOver(socket)}
	e.version.Socket, e.info.Socket = socket, socket
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
