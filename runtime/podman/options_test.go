package podman

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/containers/podman/v5/libpod/define"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
)

// made creates a container on the real engine and returns what libpod says of it.
func made(t *testing.T, variable string, change func(*runtime.Spec)) *define.InspectContainerData {
	t.Helper()
	url := enginetest.Engine(t, variable)
	engine, err := New(runtime.Options{URL: url, Instance: "test-options"})
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
	raw, err := engine.inspect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// case B194, among others
func TestOptionsArrive(t *testing.T) {
	raw := made(t, "FAIRLEAD_TEST_PODMAN", func(s *runtime.Spec) {
		*s = contract.FullSpec(*s)
		s.Ports = []runtime.Port{{Number: 8080, Proto: "tcp", Publish: true, HostIP: "127.0.0.1"}}
		s.Command = []string{"-port", "8080"}
	})
	h, c := raw.HostConfig, raw.Config
	bound := func(b string) bool { return strings.HasPrefix(b, "/etc:/host:ro") }
	for what, ok := range map[string]bool{
		"env":            slices.Contains(c.Env, "EMPTY=") && slices.Contains(c.Env, "GREETING=a=b c"),
		"command":        slices.Equal(c.Cmd, []string{"-port", "8080"}),
		"user":           c.User == "1000:1000",
		"labels":         c.Labels["k"] == "v",
		"stop signal":    c.StopSignal == "SIGINT" && c.StopTimeout == 90,
		"tmpfs":          strings.HasPrefix(h.Tmpfs["/scratch"], "size=1m") && len(h.Tmpfs) == 2,
		"volumes":        slices.ContainsFunc(h.Binds, bound),
		"memory":         h.Memory == 64<<20,
		"cpus":           h.NanoCpus == 500_000_000,
		"pids":           h.PidsLimit == 100,
		"shm":            h.ShmSize == 1<<20,
		"devices":        len(h.Devices) == 1 && h.Devices[0].PathInContainer == "/dev/nothing",
		"capabilities":   len(raw.BoundingCaps) == 1 && raw.BoundingCaps[0] == "CAP_NET_BIND_SERVICE",
		"security":       slices.Contains(h.SecurityOpt, "no-new-privileges"),
		"ulimits":        slices.Contains(h.Ulimits, define.InspectUlimit{Name: "RLIMIT_NOFILE", Soft: 1000, Hard: 2000}),
		"log size":       h.LogConfig.Size == "1.049MB" || h.LogConfig.Size == "1MB",
		"published port": h.PortBindings["8080/tcp"][0].HostIP == "127.0.0.1",
		"restart policy": h.RestartPolicy.Name == "no" && !h.AutoRemove,
	} {
		if !ok {
			t.Errorf("%s did not arrive: %+v, %+v, log %+v", what, h, c, h.LogConfig)
		}
	}
}

func TestOptionsLeftOut(t *testing.T) {
	raw := made(t, "FAIRLEAD_TEST_PODMAN", func(s *runtime.Spec) { s.NewPrivilege = true })
	if h := raw.HostConfig; slices.Contains(h.SecurityOpt, "no-new-privileges") || h.Memory != 0 || len(h.PortBindings["8080/tcp"]) > 0 {
		t.Errorf("the zero value leaves an option to the engine: %+v", h)
	}
}

func TestKeepID(t *testing.T) {
	raw := made(t, "FAIRLEAD_TEST_PODMAN_ROOTLESS", func(s *runtime.Spec) { s.Userns = "keep-id" })
	if raw.HostConfig.UsernsMode != "private" || raw.HostConfig.IDMappings == nil {
		t.Errorf("want a user namespace of its own, got %q, %+v", raw.HostConfig.UsernsMode, raw.HostConfig.IDMappings)
	}
}

// P10: words that mean nothing here are refused by name.
func TestGeneratorRefuses(t *testing.T) {
	for what, change := range map[string]func(*runtime.Spec){
		"SIGNONE":        func(s *runtime.Spec) { s.StopSignal = "SIGNONE" },
		"sideways":       func(s *runtime.Spec) { s.Userns = "sideways" },
		"credentialspec": func(s *runtime.Spec) { s.SecurityOpt = []string{"credentialspec=file://x"} },
	} {
		spec := runtime.Spec{Name: "n", Image: "localhost/a"}
		change(&spec)
		_, err := (&Engine{}).generator(t.Context(), spec)
		if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), what) {
			t.Errorf("want ErrInvalid about %s, got %v", what, err)
		}
	}
}
