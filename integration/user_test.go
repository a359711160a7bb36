package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// user is whose the rootless engine is, with a systemd of his own as a session or lingering gives it.
type user struct {
	command []string // that runs another one as he does
	dir     string   // $XDG_RUNTIME_DIR
	id      uint32
}

// newUser starts the user's systemd, unless there is one. At the end it and what it left goes.
func newUser(t *testing.T) *user {
	t.Helper()
	need(t, "systemctl", "unshare", "setpriv")
	script, err := filepath.Abs("../scripts/podman-rootless.sh")
	if err != nil {
		t.Fatal(err)
	}
	socket := strings.TrimPrefix(host, "unix://")
	info, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{command: []string{script, "as"}, dir: filepath.Dir(filepath.Dir(socket)), id: info.Sys().(*syscall.Stat_t).Uid}
	if u.try("systemctl", "--user", "list-jobs") == nil {
		return u
	}
	u.boot(t)
	return u
}

// manager: systemd starts for a user where the system was booted with one, as it believes of a machine with this
// directory, and wants cgroups of its own.
const manager = `set -eu
for root in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  [ -e "$root/cgroup.procs" ] || continue
  mkdir -p "$root/$1"; chown -R "$2" "$root/$1"; echo $$ >"$root/$1/cgroup.procs"
done
mkdir -p /run/systemd; mount -t tmpfs none /run/systemd; mkdir /run/systemd/system
shift 2; exec "$@"`

func (u *user) boot(t *testing.T) {
	t.Helper()
	group := fmt.Sprint("fairlead-test-", os.Getpid())
	log := &logbook{}
	cmd := exec.Command("unshare", append([]string{"-m", "--propagation", "slave", "sh", "-c", manager, "sh", group, fmt.Sprint(u.id)},
		append(u.command, "/lib/systemd/systemd", "--user", "--log-target=console")...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = u.try("systemctl", "--user", "exit")
		if err := cmd.Wait(); err != nil {
			t.Logf("systemd of the user ended: %v\n%s", err, log.tail(20))
		}
		for _, left := range []string{"systemd", "bus", "dbus-1", "gnupg", "pk-debconf-socket"} {
			_ = os.RemoveAll(filepath.Join(u.dir, left))
		}
		for _, root := range []string{"", "systemd", "unified"} {
			leave(filepath.Join("/sys/fs/cgroup", root, group))
		}
	})
	eventually(t, "systemd of the user", func() string {
		if err := u.try("systemctl", "--user", "list-jobs"); err != nil {
			return err.Error() + log.tail(5)
		}
		return ""
	})
}

// leave removes cgroups, the inner ones first.
func leave(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			leave(filepath.Join(dir, entry.Name()))
		}
	}
	_ = os.Remove(dir) // a process that is still there keeps it
}

func (u *user) owns(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("chown", "-R", fmt.Sprint(u.id), dir).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
}

func (u *user) try(args ...string) error {
	out, err := exec.Command(u.command[0], append(u.command[1:], args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (u *user) systemctl(t *testing.T, args ...string) {
	t.Helper()
	if err := u.try(append([]string{"systemctl", "--user"}, args...)...); err != nil {
		t.Fatal(err)
	}
}

// property is what systemd says of a unit.
func (u *user) property(t *testing.T, unit, name string) string {
	t.Helper()
	out, err := exec.Command(u.command[0], append(u.command[1:], "systemctl", "--user", "show", "--value", "-p", name, unit)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// unit writes a unit file and has it read. It goes at the end.
func (u *user) unit(t *testing.T, name, text string) {
	t.Helper()
	stem, _, _ := strings.Cut(strings.TrimSuffix(name, ".service"), "@")
	dir := filepath.Join(u.dir, "systemd", "user")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := exec.Command(u.command[0], append(u.command[1:], "systemctl", "--user", "status", "-n0", stem+"*.service")...).Output()
			t.Logf("%s", out)
		}
		_ = u.try("systemctl", "--user", "stop", stem+"*.service")
		_ = os.Remove(file)
		left, _ := filepath.Glob(filepath.Join(u.dir, stem+"*.cid"))
		for _, file := range left {
			_ = os.Remove(file)
		}
		_ = u.try("systemctl", "--user", "daemon-reload")
	})
	u.systemctl(t, "daemon-reload")
}
