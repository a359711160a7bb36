package podman

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/blang/semver/v4"
	"github.com/containers/podman/v5/pkg/bindings"
	"github.com/containers/podman/v5/version"

	"github.com/fairlead/fairlead/runtime"
)

// bind returns a context that the bindings take their connection from, after the version was looked at.
func (e *Engine) bind(ctx context.Context) (context.Context, error) {
	if _, err := e.version.Get(ctx, e.checkVersion); err != nil {
		return nil, err
	}
	return context.WithValue(ctx, connectionKey, e.connection), nil
}

// bindTo is bind for a call on a container, after a look at its id.
func (e *Engine) bindTo(ctx context.Context, id string) (context.Context, error) {
	if err := runtime.CheckName(id); err != nil {
		return nil, err
	}
	return e.bind(ctx)
}

// checkVersion refuses what is no Podman and what is too old for these bindings.
func (e *Engine) checkVersion(ctx context.Context) (string, error) {
	pong, err := e.socket.Ping(ctx)
	if err != nil {
		return "", err
	}
	theirs, err := semver.ParseTolerant(pong.Libpod)
	if err != nil {
		return "", fmt.Errorf("%s answers, but not as a Podman engine: %w", e.socket.URL, runtime.ErrUnsupported)
	}
	oldest := version.APIVersion[version.Libpod][version.MinimalAPI]
	if theirs.LT(oldest) {
		return "", fmt.Errorf("podman at %s speaks API %s, Fairlead %s or newer: %w", e.socket.URL, theirs, oldest,
			runtime.ErrUnsupported)
	}
	return pong.Libpod, nil
}

// connectionOver makes the bindings' connection. Their own constructor pings at once, through a client that knows
// neither TLS nor our counting of dials.
func connectionOver(socket *runtime.Socket) *bindings.Connection {
	client := socket.Client()
	client.Transport = oneTry{socket}
	return &bindings.Connection{URI: socket.URL, Client: client}
}

// connectionKey is the key under which bindings.GetClient looks for the connection, and which it does not export:
// asked with a context that takes note, it tells.
var connectionKey = func() any {
	asked := &keyNote{Context: context.Background()}
	_, _ = bindings.GetClient(asked)
	return asked.key
}()

type keyNote struct {
	context.Context
	key any
}

func (n *keyNote) Value(key any) any {
	n.key = key
	return nil
}

// oneTry carries a request exactly once. The bindings repeat a failed one twice with sleeps that no context ends
// (bindings/connection.go, DoRequest), and a repeated create is not theirs to decide; but they take any answer. So a
// failure to get one becomes an answer whose body fails with that very error, which then comes back wrapped.
type oneTry struct{ socket *runtime.Socket }

const statusNoAnswer = 599 // no engine sends it

func (o oneTry) RoundTrip(req *http.Request) (*http.Response, error) {
	if o.socket.Secure() {
		req = req.Clone(req.Context())
		req.URL.Scheme = "https"
	}
	resp, err := o.socket.Transport().RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	return &http.Response{
		StatusCode: statusNoAnswer,
		Status:     "no answer",
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{},
		Body:    failure{err},
		Request: req,
	}, nil
}

// failure is a body that cannot be read.
type failure struct{ err error }

func (f failure) Read([]byte) (int, error) { return 0, f.err }
func (f failure) Close() error             { return nil }

var _ io.ReadCloser = failure{}
