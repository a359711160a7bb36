package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
)

// variables name the engines as scripts/engines.sh env does.
var variables = map[string]string{
	"docker":   "FAIRLEAD_TEST_DOCKER",
	"podman":   "FAIRLEAD_TEST_PODMAN",
	"rootless": "FAIRLEAD_TEST_PODMAN_ROOTLESS",
}

// EngineURL finds an engine by name; Docker is where it usually is unless told otherwise. Empty if it is not known.
func EngineURL(name string) string {
	if url := os.Getenv(variables[name]); url != "" {
		return url
	}
	if name == "docker" {
		return "unix:///var/run/docker.sock"
	}
	return ""
}

// Outside is somebody with access to an engine's socket, who is not Fairlead. Docker and Podman take Docker's API.
type Outside struct {
	*client.Client
	URL string
}

// NewOutside connects to nothing yet.
func (r *Run) NewOutside(url string) (*Outside, error) {
	c, err := client.NewClientWithOpts(client.WithHost(url), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, fmt.Errorf("reach the engine at %s: %w", url, err)
	}
	r.Defer(func() { c.Close() })
	return &Outside{c, url}, nil
}

// Restart is docker restart -t 1.
func (o *Outside) Restart(ctx context.Context, id string) error {
	grace := 1
	return o.ContainerRestart(ctx, id, container.StopOptions{Timeout: &grace})
}

// Remove is docker rm -f.
func (o *Outside) Remove(ctx context.Context, id string) error {
	return o.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
}

// Run makes and starts a container of the outsider's own.
func (o *Outside) Run(ctx context.Context, name string, config *container.Config) (id string, err error) {
	made, err := o.ContainerCreate(ctx, config, nil, nil, nil, name)
	if err != nil {
		return "", err
	}
	return made.ID, o.ContainerStart(ctx, made.ID, container.StartOptions{})
}

// PID of a container's first process, as the machine counts.
func (o *Outside) PID(ctx context.Context, id string) (int, error) {
	c, err := o.ContainerInspect(ctx, id)
	if err != nil {
		return 0, err
	}
	return c.State.Pid, nil
}

// Clean removes all containers of an instance of Fairlead. Errors are of no use here: a run ends with it.
func (o *Outside) Clean(instance string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ours := filters.NewArgs(filters.Arg("label", runtime.LabelInstance+"="+instance))
	left, _ := o.ContainerList(ctx, container.ListOptions{All: true, Filters: ours})
	for _, c := range left {
		_ = o.Remove(ctx, c.ID)
	}
}

// BuildImage compiles a package of this module and packs it from scratch. Its container listens on 8080.
func BuildImage(ctx context.Context, url, pkg, ref string) error {
	dir, err := os.MkdirTemp("", "bench-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := Compile(ctx, pkg, filepath.Join(dir, "app")); err != nil {
		return err
	}
	lines := "FROM scratch\nCOPY app /app\nEXPOSE 8080\nENTRYPOINT [\"/app\"]\n"
	if err := os.WriteFile(filepath.Join(dir, "Containerfile"), []byte(lines), 0o644); err != nil {
		return err
	}
	return image.BuildDirectory(ctx, url, dir, ref)
}

// Compile builds a package of this module without cgo and without paths.
func Compile(ctx context.Context, pkg, to string) error {
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", to, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s: %w\n%s", pkg, err, strings.TrimSpace(string(said)))
	}
	return nil
}
