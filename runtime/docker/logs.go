package docker

import (
	"context"
	"io"
	"strconv"

	"github.com/docker/docker/api/types/container"

	"github.com/fairlead/fairlead/runtime"
)

// Logs returns the container's output without Docker's framing.
func (e *Engine) Logs(ctx context.Context, id string, options runtime.LogOptions) (io.ReadCloser, error) {
	c, err := e.on(ctx, id)
	if err != nil {
		return nil, err
	}
	ask := container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: options.Follow, Tail: "all"}
	if options.Tail > 0 {
		ask.Tail = strconv.Itoa(options.Tail)
	}
	framed, err := c.ContainerLogs(ctx, id, ask)
	if err != nil {
		return nil, explain("logs of "+id, err)
	}
	return runtime.Demultiplex(framed), nil
}
