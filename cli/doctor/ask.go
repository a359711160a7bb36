package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/fairlead/fairlead/runtime"
)

// ask fills in what the engine says of itself, or why it says nothing.
func (e *Engine) ask(ctx context.Context, way runtime.Candidate) {
	socket, err := way.Socket()
	if err != nil {
		e.Fault = err.Error()
		return
	}
	defer socket.Close()
	pong, err := socket.Ping(ctx)
	if err != nil {
		e.failed(err)
		return
	}
	e.API, e.Kind = pong.API, string(pong.Kind())
	if err := e.askDocker(ctx, socket); err != nil {
		e.failed(err)
		return
	}
	if pong.Libpod != "" {
		e.askPodman(ctx, socket)
	}
}

func (e *Engine) failed(err error) {
	if !e.overSSH() { // where it may be the key's file that is not there
		e.Denied = errors.Is(err, fs.ErrPermission)
		e.Absent = errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
	}
	var request *url.Error // names a host that was made up
	if errors.As(err, &request) {
		err = request.Err
	}
	switch {
	case e.Denied:
		e.Fault = "permission denied"
	case errors.Is(err, context.DeadlineExceeded):
		e.Fault = fmt.Sprintf("no answer within %v", engineBound)
	case e.Absent:
		e.Fault = "nobody listens there"
	default:
		e.Fault = err.Error()
	}
}

// askDocker uses the API that both engines serve.
func (e *Engine) askDocker(ctx context.Context, socket *runtime.Socket) error {
	var release struct{ Version string }
	if err := get(ctx, socket, "/version", &release); err != nil {
		return err
	}
	e.Release = release.Version
	var info struct {
		SecurityOptions []string
		CgroupVersion   string
		DefaultRuntime  string
		MemoryLimit     *bool
		CPUCfsQuota     *bool `json:"CpuCfsQuota"`
	}
	if err := get(ctx, socket, "/info", &info); err != nil {
		return err
	}
	e.Rootless = slices.ContainsFunc(info.SecurityOptions, func(s string) bool { return strings.HasPrefix(s, "name=rootless") })
	e.CgroupV1 = info.CgroupVersion == "1"
	e.OCIRuntime = info.DefaultRuntime
	e.NoLimits = isFalse(info.MemoryLimit) || isFalse(info.CPUCfsQuota)
	return nil
}

func isFalse(b *bool) bool { return b != nil && !*b }

// askPodman asks in Podman's own words, which are more exact. Without an answer the others stand.
func (e *Engine) askPodman(ctx context.Context, socket *runtime.Socket) {
	var info struct {
		Host struct {
			CgroupVersion string
			OCIRuntime    struct{ Name string } `json:"ociRuntime"`
			Security      struct{ Rootless bool }
		}
	}
	if get(ctx, socket, "/v4.0.0/libpod/info", &info) != nil {
		return
	}
	e.Rootless = info.Host.Security.Rootless
	e.CgroupV1 = info.Host.CgroupVersion == "v1"
	e.OCIRuntime = info.Host.OCIRuntime.Name
}

const answerLimit = 1 << 20

func get(ctx context.Context, socket *runtime.Socket, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, socket.Base()+path, nil)
	if err != nil {
		return err
	}
	resp, err := socket.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s says %s", path, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, answerLimit)).Decode(into)
}
