package integration

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/runtime"
)

// quadlet is what Podman's generator makes of a .container file. Podman 4.3 has no generator yet, and leaves the file of
// the container's id.
const quadlet = `[Service]
Environment=PODMAN_SYSTEMD_UNIT=%%n
ExecStartPre=-/bin/rm -f %%t/%%N.cid
ExecStart=podman run --name=systemd-%%p-%%i --cidfile=%%t/%%N.cid --replace --rm --sdnotify=conmon -d -p 127.0.0.1::8080 --label fairlead.test %s
ExecStop=podman rm -v -f -i --cidfile=%%t/%%N.cid
ExecStopPost=-podman rm -v -f -i --cidfile=%%t/%%N.cid
ExecStopPost=-/bin/rm -f %%t/%%N.cid
KillMode=mixed
Type=notify
NotifyAccess=all
%s
`

// P9: a container that systemd runs is started and stopped by systemd alone, whatever others do to it or its unit.
func TestAdoptByUnit(t *testing.T) {
	if kind != rootless {
		t.Skip("the systemd of a user is beside his own engine")
	}
	t.Parallel()
	u := newUser(t)
	name := "theirs-" + strings.ToLower(rand.Text()[:10])
	u.unit(t, name+".service", fmt.Sprintf(quadlet, image.Plain.Ref(), ""))
	u.unit(t, name+"@.service", fmt.Sprintf(quadlet, image.Plain.Ref(), "Restart=always\nRestartSec=2"))
	u.unit(t, name+"-broken.service", fmt.Sprintf(quadlet, "localhost/there-is-none --pull=never", ""))
	f := launch(t, setup{User: u, Apps: strings.ReplaceAll(`
  hello: {adopt: {unit: NAME.service}, image: null, route: {host: hello.test}, idle: 2s}
  again: {adopt: {unit: NAME@1.service}, image: null, route: {host: again.test}}
  broken: {adopt: {unit: NAME-broken.service}, image: null, route: {host: broken.test}}
  nobody: {adopt: {unit: NAME-nobody.service}, image: null, route: {host: nobody.test}}`, "NAME", name)})

	t.Run("starts and stops", func(t *testing.T) { startsAndStops(t, f, u, name+".service") })
	t.Run("follows restarts", func(t *testing.T) { followsRestarts(t, f, u, name+"@1.service") })
	t.Run("tells failures", func(t *testing.T) {
		f.tellsUnit(t, "broken", "unit "+name+"-broken.service failed: exit-code, exit status 125; see journalctl --user -u")
		f.tellsUnit(t, "nobody", "has no unit "+name+"-nobody.service")
	})
	t.Run("after kill -9", func(t *testing.T) {
		v := f.visitor(t)
		before := v.get(t, "again", "/id")
		f.process.kill()
		f.start(t)
		if now := f.visitor(t).get(t, "again", "/id"); now != before {
			t.Errorf("served by %s, want %s", now, before)
		}
	})
}

func startsAndStops(t *testing.T, f *fairlead, u *user, unit string) {
	defer f.never(t, 0, "hello", journal.StartFailed)
	v := f.visitor(t)
	first := v.get(t, "hello", "/id")
	f.inactive(t, u, unit)
	f.await(t, 0, "hello", journal.ReplicaStopped)
	f.never(t, 0, "hello", journal.ReplicaReaped, journal.StartFailed)

	second := v.get(t, "hello", "/id")
	u.systemctl(t, "stop", unit)
	third := v.get(t, "hello", "/id")
	f.outside.remove(f.ofUnit(t, unit))
	fourth := v.get(t, "hello", "/id")
	if first == second || second == third || third == fourth {
		t.Errorf("served by %s, %s, %s, %s: want another one each time", first, second, third, fourth)
	}
	f.inactive(t, u, unit)
	u.systemctl(t, "start", unit)
	eventually(t, "what others started", func() string {
		if app := f.app(t, "hello"); len(app.Replicas) != 1 || app.Replicas[0].State != "ready" {
			return fmt.Sprint(app.Replicas)
		}
		return ""
	})
	f.inactive(t, u, unit)
}

// inactive waits until the unit is stopped, and finds nothing left of it.
func (f *fairlead) inactive(t *testing.T, u *user, unit string) {
	t.Helper()
	eventually(t, unit, func() string {
		if active := u.property(t, unit, "ActiveState"); active != "inactive" {
			return active
		}
		return ""
	})
	if left := f.withUnit(t, unit); len(left) > 0 {
		t.Errorf("left: %v", ids(left))
	}
}

func followsRestarts(t *testing.T, f *fairlead, u *user, unit string) {
	v := f.visitor(t)
	before := v.get(t, "again", "/id")
	f.outside.remove(f.ofUnit(t, unit))
	if now := v.get(t, "again", "/id"); now == before {
		t.Errorf("served by %s, which was removed", now)
	}
	if n := u.property(t, unit, "NRestarts"); n != "1" {
		t.Errorf("systemd restarted it %s times, want once", n)
	}
	old := f.ofUnit(t, unit)
	f.outside.remove(old) // with no visitor
	eventually(t, "what systemd restarted", func() string {
		if rows := f.rows(t, "again"); len(rows) != 1 || rows[0].Container == old || rows[0].State != "ready" {
			return fmt.Sprint(rows, u.property(t, unit, "ActiveState,SubState,Result,NRestarts,Job"))
		}
		return ""
	})
	f.ofUnit(t, unit)
	if n := u.property(t, unit, "NRestarts"); n != "2" {
		t.Errorf("systemd restarted it %s times, want twice", n)
	}
}

// tellsUnit: the start fails at once, and whoever asks Fairlead is told why.
func (f *fairlead) tellsUnit(t *testing.T, app, why string) {
	t.Helper()
	since := f.now(t)
	got, err := f.visitor(t).send(http.MethodGet, app, "/id", nil)
	if err != nil || got.status != http.StatusServiceUnavailable || got.header.Get("Fairlead-Reason") != "failed" {
		t.Errorf("%s: got %d %v %v", app, got.status, got.header, err)
	}
	if event := f.await(t, since, app, journal.StartFailed); !strings.Contains(event.Cause, why) {
		t.Errorf("the journal says %q, want %q", event.Cause, why)
	}
}

func (f *fairlead) withUnit(t *testing.T, unit string) []container.Summary {
	t.Helper()
	found, err := f.outside.with(map[string]string{runtime.LabelUnit: unit})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ofUnit is the one container of the unit.
func (f *fairlead) ofUnit(t *testing.T, unit string) string {
	t.Helper()
	found := f.withUnit(t, unit)
	if len(found) != 1 {
		t.Fatalf("%s has %d containers: %v", unit, len(found), ids(found))
	}
	return found[0].ID
}
