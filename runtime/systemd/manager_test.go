package systemd

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhoseManager(t *testing.T) {
	for _, c := range []struct {
		uid    int
		uidMap string
		user   bool
	}{
		{0, "         0          0 4294967295\n", false},
		{1000, "         0          0 4294967295\n", true},
		{0, "         0       1000          1\n         1     100000      65536\n", true}, // root of a rootless container
		{0, "", false},
	} {
		if got := ownedByUser(c.uid, c.uidMap); got != c.user {
			t.Errorf("uid %d with map %q: got %v", c.uid, c.uidMap, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	env := map[string]string{"XDG_RUNTIME_DIR": "/run/user/7"}
	user := &Manager{User: true, Getenv: func(name string) string { return env[name] }}
	check := func(m *Manager, want ...string) {
		t.Helper()
		for i, p := range m.places() {
			if p.address != want[i] || p.direct != (i == 1) {
				t.Errorf("place %d: got %+v, want %s", i, p, want[i])
			}
		}
	}
	check(user, "unix:path=/run/user/7/bus", "unix:path=/run/user/7/systemd/private")
	env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/bus"
	check(user, "unix:path=/bus", "unix:path=/run/user/7/systemd/private")
	env["DBUS_SESSION_BUS_ADDRESS"] = "autolaunch:"
	check(user, "unix:path=/run/user/7/bus", "unix:path=/run/user/7/systemd/private")
	check(&Manager{Getenv: user.Getenv}, "unix:path=/run/dbus/system_bus_socket", "unix:path=/run/systemd/private")
}

// Without a bus and without a systemd the operator is told what to do, and nothing is started for it.
func TestNobodyThere(t *testing.T) {
	dir := t.TempDir()
	m := &Manager{User: true, Getenv: func(name string) string {
		return map[string]string{"XDG_RUNTIME_DIR": dir}[name]
	}}
	for _, err := range []error{m.Start(t.Context(), "wiki.service"), m.Stop(t.Context(), "wiki.service")} {
		if err == nil || !strings.Contains(err.Error(), "wiki.service") || !strings.Contains(err.Error(), "enable-linger") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := m.Active(t.Context(), "wiki.service"); err == nil {
		t.Error("nobody said so")
	}
}

// A bus that takes connections and says nothing costs no more than the caller's time.
func TestSilentBus(t *testing.T) {
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	m := &Manager{User: true, Getenv: func(string) string { return dir }}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx, "wiki.service") }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("nobody said so")
		}
	case <-time.After(10 * time.Second):
		t.Error("it never ends")
	}
}

func TestFailuresSayWhichUnitAndWhereItsLogIs(t *testing.T) {
	user := &Manager{User: true}
	for want, c := range map[string]struct {
		state
		job string
	}{
		"unit w.service failed: exit-code, exit status 125; see journalctl --user -u w.service":                {state{active: "failed", result: "exit-code", status: 125}, "failed"},
		"unit w.service failed: start-limit-hit; see journalctl --user -u w.service":                           {state{active: "failed", result: "start-limit-hit"}, "failed"},
		"unit w.service is being restarted after exit-code, exit status 1; see journalctl --user -u w.service": {state{active: "activating", result: "exit-code", status: 1}, "failed"},
		"unit w.service is inactive; see journalctl --user -u w.service":                                       {state{active: "inactive", result: "success"}, "done"},
		"unit w.service is inactive, its start ended as dependency; see journalctl --user -u w.service":        {state{active: "inactive"}, "dependency"},
	} {
		c.unit, c.hint = "w.service", user.hint("w.service")
		if got := c.failure(c.job).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	gone := state{unit: "w.service", load: "not-found", active: "inactive", missing: (&Manager{}).unknown("w.service")}
	if got := gone.failure("").Error(); !strings.Contains(got, "systemd of the system has no unit w.service") {
		t.Errorf("got %s", got)
	}
	if got := (&Manager{}).hint("w.service"); got != "see journalctl -u w.service" {
		t.Errorf("got %s", got)
	}
}
