package integration

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

func TestHostComesAndGoes(t *testing.T) { onEachSecond(t, hostComesAndGoes) }

// case B008: a host that is down at the start joins later, and whoever waits for it is served. One that goes down degrades alone:
// what runs there serves on (P8), the others start and serve as ever (P6), and when it is back, by a new socket at the
// old path, it is the one that it was.
func hostComesAndGoes(t *testing.T, s *second) {
	s.stop(t, syscall.SIGTERM)
	f := launch(t, setup{Hosts: `  far: {url: "` + s.url + `"}`, Apps: `
  near: {route: {host: near.test}, hosts: local}
  later: {route: {host: later.test}, hosts: local}
  far: {route: {host: far.test}, hosts: far}`})
	v := f.visitor(t)
	v.get(t, "near", "/id")
	if got := f.host(t, "far"); got.State != admin.HostUnknown || got.Error == "" {
		t.Errorf("a host that is down is shown as %+v", got)
	}
	waiting := meanwhile(func() error { return v.gets("far") })
	s.start(t)
	if err := settled(t, "who waited for the host", waiting); err != nil {
		t.Fatal(err)
	}
	far, row := v.get(t, "far", "/id"), f.row(t, "far")

	f.awaitHost(t, "far", admin.HostOK) // a busy engine may have been too slow for a look
	since := f.now(t)
	s.stop(t, syscall.SIGKILL)
	f.awaitHost(t, "far", admin.HostUnknown)
	v.get(t, "near", "/id")
	v.get(t, "later", "/id")
	for range 5 {
		if got := v.get(t, "far", "/id"); got != far {
			t.Errorf("served by %s, want %s", got, far)
		}
	}
	s.start(t)
	f.awaitHost(t, "far", admin.HostOK)
	f.never(t, since, "far", journal.ReplicaReaped, journal.RestartDetected, journal.ReplicaStarted)
	if now := f.row(t, "far"); now.Container != row.Container || v.get(t, "far", "/id") != far {
		t.Errorf("the row was %+v, now %+v", row, now)
	}
	newOutside(t, s.url).remove(row.Container)
	f.await(t, since, "far", journal.ReplicaReaped)
	if got := v.get(t, "far", "/id"); got == far {
		t.Error("served by a container that is gone")
	}
}

func (f *fairlead) awaitHost(t *testing.T, name, state string) {
	t.Helper()
	eventually(t, "host "+name+" "+state, func() string {
		if got := f.host(t, name); got.State != state {
			return got.State + ": " + got.Error
		}
		return ""
	})
}

func (f *fairlead) host(t *testing.T, name string) admin.HostStatus {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	hosts, err := f.admin.Hosts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		if host.Name == name {
			return host
		}
	}
	t.Fatalf("there is no host %s in %+v", name, hosts)
	return admin.HostStatus{}
}

// gets is get in a goroutine of its own.
func (v *visitor) gets(app string) error {
	got, err := v.send(http.MethodGet, app, "/id", nil)
	if err == nil && got.status != http.StatusOK {
		err = &refusal{got}
	}
	return err
}

type refusal struct{ answer }

func (r *refusal) Error() string { return r.header.Get("Fairlead-Reason") + ": " + r.body }

// Hosts share new replicas by their weight, up to what each may have.
func TestWeight(t *testing.T) {
	t.Parallel()
	s := newSecond(t, podman)
	for name, test := range map[string]struct {
		keys      string
		near, far int
	}{
		"weight":         {"weight: 2", 2, 4},
		"max_containers": {"weight: 9, max_containers: 1", 5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := launch(t, setup{Hosts: `  far: {url: "` + s.url + `", ` + test.keys + `}`, Apps: `
  both: {route: {host: both.test}, replicas: {min: 6, max: 6}}`})
			on := map[string]int{}
			for _, row := range f.awaitReplicas(t, "both", 6) {
				on[row.Host]++
			}
			if on["local"] != test.near || on["far"] != test.far {
				t.Errorf("replicas by host: %v, want %d and %d", on, test.near, test.far)
			}
			if n := len(f.containers(t, "both")); n != test.near {
				t.Errorf("%d containers here, want %d", n, test.near)
			}
		})
	}
}

func TestAnotherEngine(t *testing.T) { onEachSecond(t, anotherEngineAnswers) }

// P1: another engine behind the same address, of the same kind or not, knows nothing of our containers, and what it does
// not know is not gone. Operators end the doubt.
func anotherEngineAnswers(t *testing.T, other *second) {
	s := newSecond(t, podman)
	f := launch(t, setup{Hosts: `  far: {url: "` + s.url + `"}`, Apps: `
  far: {route: {host: far.test}, hosts: far, replicas: {min: 1, max: 1}}`})
	row := f.awaitReplicas(t, "far", 1)[0]
	v := f.visitor(t)
	mine := v.get(t, "far", "/id")
	since := f.now(t)
	other.takeOver(t, s)
	eventually(t, "the doubt", func() string {
		host := f.host(t, "far")
		if strings.Contains(host.Error, "another engine answers") || strings.Contains(host.Error, "not as a Podman") {
			return ""
		}
		return host.State + " " + host.Error
	})
	f.never(t, since, "far", journal.ReplicaReaped, journal.ReplicaStarted)
	if now := f.row(t, "far"); now.Container != row.Container || now.State != "ready" || v.get(t, "far", "/id") != mine {
		t.Errorf("the row was %+v, now %+v", row, now)
	}
	if said := f.command(t, "hosts", "forget", "far"); !strings.Contains(said, "far") {
		t.Errorf("hosts forget says %q", said)
	}
	f.await(t, since, "far", journal.ReplicaStarted)
	if v.get(t, "far", "/id") == mine {
		t.Error("nothing was started on the new engine")
	}
	if got := f.host(t, "far").Engine; got != other.kind {
		t.Errorf("the host is shown as %s", got)
	}
}

// An engine that lost its name and lists what we know is the one that it was. Docker's is a file.
func TestEngineUnderANewName(t *testing.T) {
	t.Parallel()
	s := newSecond(t, docker)
	f := launch(t, setup{Hosts: `  far: {url: "` + s.url + `"}`, Apps: `
  far: {route: {host: far.test}, hosts: far, replicas: {min: 1, max: 1}}`})
	row := f.awaitReplicas(t, "far", 1)[0]
	before := s.identity(t)
	since := f.now(t)
	s.stop(t, syscall.SIGKILL)
	f.awaitHost(t, "far", admin.HostUnknown)
	s.rename(t)
	s.start(t)
	if s.identity(t) == before {
		t.Fatal("the engine kept its name: this proves nothing")
	}
	f.awaitHost(t, "far", admin.HostOK)
	newOutside(t, s.url).remove(row.Container)
	f.await(t, since, "far", journal.ReplicaReaped) // which takes the engine that made it
	f.await(t, since, "far", journal.ReplicaStarted)
}
