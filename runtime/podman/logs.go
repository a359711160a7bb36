package podman

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/containers/podman/v5/pkg/bindings"
	"github.com/containers/podman/v5/pkg/bindings/containers"

	"github.com/fairlead/fairlead/runtime"
)

// Logs returns the container's output without framing. The bindings' own Logs hands lines to channels and blocks for
// ever on a reader that went away; this one is the same request with its body handed over.
func (e *Engine) Logs(ctx context.Context, id string, options runtime.LogOptions) (io.ReadCloser, error) {
	bound, err := e.bindTo(ctx, id)
	if err != nil {
		return nil, err
	}
	connection, err := bindings.GetClient(bound)
	if err != nil {
		return nil, err
	}
	ask := new(containers.LogOptions).WithStdout(true).WithStderr(true).WithFollow(options.Follow)
	if options.Tail > 0 {
		ask = ask.WithTail(strconv.Itoa(options.Tail))
	}
	params, err := ask.ToParams()
	if err != nil {
		return nil, err
	}
	resp, err := connection.DoRequest(bound, nil, http.MethodGet, "/containers/%s/logs", params, nil, id)
	if err != nil {
		return nil, explain("logs of "+id, err)
	}
	if resp.IsSuccess() {
		return runtime.Demultiplex(resp.Body), nil
	}
	defer resp.Body.Close()
	if err := resp.Process(nil); err != nil {
		return nil, explain("logs of "+id, err)
	}
	return nil, fmt.Errorf("logs of %s: %s", id, resp.Status)
}
