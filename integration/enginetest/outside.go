package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	imagetypes "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/client"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
)

const cleanBound = time.Minute

// Raw is what an engine says of a container in the words of Docker's API.
func Raw(t *testing.T, url, id string) container.InspectResponse {
	t.Helper()
	c, err := client.NewClientWithOpts(client.WithHost(url), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.ContainerInspect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// outside is somebody else with access to the engine's socket.
type outside struct {
	*client.Client
	instance string
}

func newOutside(t *testing.T, url, instance string) *outside {
	t.Helper()
	c, err := client.NewClientWithOpts(client.WithHost(url), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{c, instance}
	t.Cleanup(o.clean)
	return o
}

func (o *outside) Restart(ctx context.Context, id string) error {
	now := 0
	return o.ContainerRestart(ctx, id, container.StopOptions{Timeout: &now})
}

func (o *outside) Kill(ctx context.Context, id string) error {
	return o.ContainerKill(ctx, id, "KILL")
}

func (o *outside) Remove(ctx context.Context, id string) error {
	return o.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
}

func (o *outside) Run(ctx context.Context, name string, labels map[string]string) (string, error) {
	return o.run(ctx, image.Plain.Ref(), name, labels)
}

// Copy builds what docker commit would make: rootless Podman 4.3 cannot commit through its socket ("runroot must be
// set").
func (o *outside) Copy(ctx context.Context, id, name string) (string, error) {
	raw, err := o.ContainerInspect(ctx, id)
	if err != nil {
		return "", err
	}
	directory, err := os.MkdirTemp("", "fairlead-copy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(directory)
	lines := "FROM " + image.Plain.Ref() + "\n"
	for key, value := range raw.Config.Labels {
		lines += fmt.Sprintf("LABEL %s=%q\n", key, value)
	}
	if err := os.WriteFile(filepath.Join(directory, "Containerfile"), []byte(lines), 0o600); err != nil {
		return "", err
	}
	if err := image.BuildDirectory(ctx, o.DaemonHost(), directory, o.copied()); err != nil {
		return "", err
	}
	return o.run(ctx, o.copied(), name, nil)
}

func (o *outside) copied() string { return "localhost/fairlead-copy:" + o.instance }

func (o *outside) run(ctx context.Context, from, name string, labels map[string]string) (string, error) {
	made, err := o.ContainerCreate(ctx, &container.Config{Image: from, Labels: labels}, nil, nil, nil, name)
	if err != nil {
		return "", err
	}
	return made.ID, o.ContainerStart(ctx, made.ID, container.StartOptions{})
}

func (o *outside) Network(ctx context.Context, name string) error {
	_, err := o.NetworkCreate(ctx, name, network.CreateOptions{Driver: "bridge", Labels: o.labels()})
	return err
}

// labels mark what scripts/engines.sh clean removes.
func (o *outside) labels() map[string]string {
	return map[string]string{"fairlead.test": o.instance}
}

func (o *outside) Volumes(ctx context.Context, id string) ([]string, error) {
	raw, err := o.ContainerInspect(ctx, id)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range raw.Mounts {
		if m.Type == mount.TypeVolume {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

func (o *outside) HasVolume(ctx context.Context, name string) (bool, error) {
	_, err := o.VolumeInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// clean removes what a failed part left. Errors are of no use here: scripts/engines.sh clean is thorough.
func (o *outside) clean() {
	ctx, cancel := context.WithTimeout(context.Background(), cleanBound)
	defer cancel()
	defer o.Close()
	ours := filters.NewArgs(filters.Arg("label", runtime.LabelInstance+"="+o.instance))
	left, _ := o.ContainerList(ctx, container.ListOptions{All: true, Filters: ours})
	for _, c := range left {
		_ = o.Remove(ctx, c.ID)
	}
	_, _ = o.NetworksPrune(ctx, filters.NewArgs(filters.Arg("label", "fairlead.test="+o.instance)))
	_, _ = o.ImageRemove(ctx, o.copied(), imagetypes.RemoveOptions{Force: true})
	_ = o.VolumeRemove(ctx, "fairlead-data-"+o.instance, true)
}
