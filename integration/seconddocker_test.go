package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

// asDocker: with live-restore containers outlive the daemon, as Podman's do. Without iptables it leaves the machine's
// rules alone: ports are published by its userland proxy. The bridge has to be one of its own: with --bridge none a
// daemon deletes docker0, whosever it is (Docker 20.10, daemon_unix.go, removeDefaultBridgeInterface).
func (s *second) asDocker(t *testing.T, n network, more []string) {
	t.Helper()
	need(t, "dockerd", "ip")
	_ = exec.Command("ip", "link", "del", n.bridge).Run() // a run that was killed may have left it
	command(t, "ip", "link", "add", n.bridge, "type", "bridge")
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", n.bridge).Run() })
	command(t, "ip", "addr", "add", n.prefix+".1/24", "dev", n.bridge)
	command(t, "ip", "link", "set", n.bridge, "up")
	settings := "{}"
	if oldDocker(t) {
		settings = fmt.Sprintf(`{"deprecated-key-path": %q}`, s.dir+"/key.json")
	}
	s.file(t, "daemon.json", settings)
	s.program = "dockerd"
	s.args = append([]string{"--config-file", s.dir + "/daemon.json", "--data-root", s.dir + "/root", "--exec-root", s.dir + "/exec",
		"--pidfile", s.dir + "/pid", "--host", s.url, "--bridge", n.bridge, "--iptables=false", "--ip6tables=false",
		"--ip-masq=false", "--storage-driver", "vfs", "--live-restore"}, more...)
}

// oldDocker: before release 23 a daemon's id was not in its own folder, but in /etc/docker.
func oldDocker(t *testing.T) bool {
	t.Helper()
	output, err := exec.Command("dockerd", "--version").Output()
	var release int
	if err == nil {
		_, err = fmt.Sscanf(string(output), "Docker version %d.", &release)
	}
	if err != nil {
		t.Fatalf("dockerd --version: %v: %s", err, output)
	}
	return release < 23
}

// rename makes a Docker that is down forget its id.
func (s *second) rename(t *testing.T) {
	t.Helper()
	for _, file := range []string{"key.json", "root/engine-id"} {
		if err := os.Remove(filepath.Join(s.dir, file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// identity is a Docker's id.
func (s *second) identity(t *testing.T) string {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	info, err := newOutside(t, s.url).Info(ctx, client.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return info.Info.ID
}

// forgetHelper: Docker's containerd dies with a killed daemon, but may be left as a zombie, and the next daemon takes one
// for alive and waits for it in vain.
func (s *second) forgetHelper(t *testing.T) {
	t.Helper()
	file := s.dir + "/exec/containerd/containerd.pid"
	pid, err := os.ReadFile(file)
	if err != nil {
		return // there is none
	}
	eventually(t, "the end of containerd", func() string {
		status, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if _, state, _ := strings.Cut(string(status), ") "); err != nil || strings.HasPrefix(state, "Z") {
			return ""
		}
		return string(status)
	})
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
