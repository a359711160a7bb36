package docker_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-units"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
	"github.com/fairlead/fairlead/runtime/docker"
)

// made creates a container on the real engine and returns what the daemon says of it.
func made(t *testing.T, change func(*runtime.Spec)) container.InspectResponse {
	t.Helper()
	url := enginetest.Engine(t, "FAIRLEAD_TEST_DOCKER")
	engine, err := docker.New(runtime.Options{URL: url, Instance: "test-options"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	ref, err := image.Build(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	spec := runtime.Spec{Name: "fairlead-" + enginetest.Instance(), Image: ref, Labels: map[string]string{"k": "v"}}
	change(&spec)
	id, err := engine.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Remove(context.Background(), id, true); err != nil {
			t.Error(err)
		}
	})
	return enginetest.Raw(t, url, id)
}

// case B194, among others
func TestOptionsArrive(t *testing.T) {
	raw := made(t, func(s *runtime.Spec) {
		*s = contract.FullSpec(*s)
		s.Ports = []runtime.Port{{Number: 8080, Proto: "tcp", Publish: true, HostIP: "127.0.0.1"}}
		s.Command = []string{"-port", "8080"}
	})
	h, c := raw.HostConfig, raw.Config
	same := func(ulimit *units.Ulimit) bool {
		return *ulimit == units.Ulimit{Name: "nofile", Soft: 1000, Hard: 2000}
	}
	for what, ok := range map[string]bool{
		"env":            slices.Contains(c.Env, "EMPTY=") && slices.Contains(c.Env, "GREETING=a=b c"),
		"command":        slices.Equal(c.Cmd, []string{"-port", "8080"}),
		"user":           c.User == "1000:1000",
		"labels":         c.Labels["k"] == "v",
		"stop signal":    c.StopSignal == "SIGINT" && c.StopTimeout != nil && *c.StopTimeout == 90,
		"tmpfs":          h.Tmpfs["/scratch"] == "size=1m" && len(h.Tmpfs) == 2,
		"volumes":        slices.Equal(h.Binds, []string{"/etc:/host:ro"}),
		"memory":         h.Memory == 64<<20,
		"cpus":           h.NanoCPUs == 500_000_000,
		"pids":           h.PidsLimit != nil && *h.PidsLimit == 100,
		"shm":            h.ShmSize == 1<<20,
		"devices":        h.Devices[0] == container.DeviceMapping{PathOnHost: "/dev/null", PathInContainer: "/dev/nothing", CgroupPermissions: "r"},
		"capabilities":   slices.Equal(h.CapDrop, []string{"ALL"}) && len(h.CapAdd) == 1,
		"security":       slices.Equal(h.SecurityOpt, []string{"seccomp=unconfined", "no-new-privileges:true"}),
		"ulimits":        slices.ContainsFunc(h.Ulimits, same),
		"log size":       h.LogConfig.Config["max-size"] == "1048576",
		"published port": h.PortBindings["8080/tcp"][0].HostIP == "127.0.0.1" && h.PortBindings["8080/tcp"][0].HostPort == "",
		"restart policy": h.RestartPolicy.Name == container.RestartPolicyDisabled && !h.AutoRemove,
	} {
		if !ok {
			t.Errorf("%s did not arrive: %+v, %+v", what, h, c)
		}
	}
}

func TestOptionsLeftOut(t *testing.T) {
	raw := made(t, func(s *runtime.Spec) { s.NewPrivilege = true })
	if h := raw.HostConfig; len(h.SecurityOpt) > 0 || h.PidsLimit != nil || h.Memory != 0 || len(h.PortBindings) > 0 {
		t.Errorf("the zero value leaves an option to the engine: %+v", h)
	}
}

func TestUsernsRefused(t *testing.T) {
	engine, err := docker.New(runtime.Options{URL: enginetest.Engine(t, "FAIRLEAD_TEST_DOCKER"), Instance: "test-options"})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	spec := runtime.Spec{Name: "fairlead-" + enginetest.Instance(), Image: image.Plain.Ref(), Userns: "keep-id"}
	if _, err := engine.Create(t.Context(), spec); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("want ErrInvalid, got %v", err)
	}
}
