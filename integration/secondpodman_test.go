package integration

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

// case B040: a Podman service that ends when nobody has called it for a while, as one that systemd starts does, may take
// its containers along. The event stream keeps it.
func TestIdlePodmanService(t *testing.T) {
	t.Parallel()
	s := newSecond(t, podman)
	s.again(t, "--time=2")
	f := launch(t, setup{Reconcile: "1m", Hosts: `  far: {url: "` + s.url + `"}`, Apps: `
  far: {route: {host: far.test}, hosts: far}`})
	v := f.visitor(t)
	mine := v.get(t, "far", "/id")
	since := f.now(t)
	time.Sleep(6 * time.Second)
	if got := v.get(t, "far", "/id"); got != mine {
		t.Errorf("served by %s, want %s", got, mine)
	}
	f.never(t, since, "", journal.HostUnknown, journal.RestartDetected)
	f.awaitHost(t, "far", admin.HostOK)
	s.again(t, "--time=0")
}

// again starts the engine anew with one more argument.
func (s *second) again(t *testing.T, argument string) {
	t.Helper()
	s.stop(t, syscall.SIGTERM)
	s.args = append(s.args, argument)
	s.start(t)
}

func (s *second) asPodman(t *testing.T, n network, more []string) {
	t.Helper()
	need(t, "podman", "runc")
	s.file(t, "containers.conf", fmt.Sprintf(podmanSettings, limit(t, syscall.RLIMIT_NOFILE), processes(t), s.dir))
	if err := os.Mkdir(s.dir+"/networks", 0o700); err != nil {
		t.Fatal(err)
	}
	s.file(t, "networks/podman.json", fmt.Sprintf(podmanNetwork, n.bridge, n.prefix, n.prefix))
	s.program, s.env = "podman", []string{"CONTAINERS_CONF=" + s.dir + "/containers.conf"}
	s.args = append([]string{"--root", s.dir + "/root", "--runroot", s.dir + "/run", "--tmpdir", s.dir + "/tmp",
		"--storage-driver", "vfs", "system", "service", "--time=0", s.url}, more...)
}

// As in scripts/podman-root.sh, which says why.
const (
	podmanSettings = `[containers]
default_ulimits = ["nofile=%[1]d:%[1]d", "nproc=%[2]d:%[2]d"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
[network]
network_backend = "netavark"
network_config_dir = "%[3]s/networks"
`
	podmanNetwork = `{"name": "podman", "id": "fa117ead00000000000000000000000000000000000000000000000000000000",
"driver": "bridge", "network_interface": %q, "created": "2026-01-01T00:00:00Z",
"subnets": [{"subnet": "%s.0/24", "gateway": "%s.1"}], "ipv6_enabled": false, "internal": false, "dns_enabled": false,
"ipam_options": {"driver": "host-local"}}`
)

const rlimitProcesses = 6 // RLIMIT_NPROC, which syscall has no name for

func limit(t *testing.T, resource int) uint64 {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(resource, &l); err != nil {
		t.Fatal(err)
	}
	return min(l.Max, 1<<20)
}

func processes(t *testing.T) uint64 {
	t.Helper()
	var pids uint64
	text, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err == nil {
		_, err = fmt.Sscan(string(text), &pids)
	}
	if err != nil {
		t.Fatal(err)
	}
	return min(limit(t, rlimitProcesses), pids)
}
