package doctor

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

// machine lays files out under a root of their own.
func machine(t *testing.T, files map[string]string) Surroundings {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Surroundings{
		Root: root, UID: 1000, User: "ana", Env: map[string]string{"HOME": "/home/ana"}, Files: 4096,
		Has:      func(program string) bool { return program == "podman" || program == "pasta" },
		Writable: func(string) error { return fs.ErrPermission },
	}
}

func TestMachineIsRead(t *testing.T) {
	s := machine(t, map[string]string{
		"/.dockerenv":                 "",
		"/run/systemd/system/x":       "",
		"/etc/subuid":                 "bob:1:2\nana:100000:65536\neve:300000:10\n",
		"/etc/subgid":                 "1000:100000:65536\n",
		"/var/lib/systemd/linger/ana": "",
		"/sys/fs/cgroup/unified/x":    "",
		"/proc/self/status":           "Name:\tx\nCapEff:\t0000000000000400\n",
		"/proc/sys/net/ipv4/ip_unprivileged_port_start":                                  "80\n",
		"/home/ana/.config/systemd/user/sockets.target.wants/podman.socket":              "",
		"/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/cgroup.controllers": "memory pids\n",
	})
	want := Facts{
		UID: 1000, User: "ana", InContainer: true, Systemd: true, Podman: true, Pasta: true,
		SubUID: true, SubGID: true, SubIDs: 300010, SocketUnit: true, Linger: true, Tun: AccessDenied,
		Cgroups: CgroupsHybrid, Delegated: []string{"memory", "pids"}, PortStart: 80, BindsAny: true, FilesHard: 4096,
	}
	if got := Gather(t.Context(), s); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestBareMachine(t *testing.T) {
	s := machine(t, nil)
	s.Writable = func(string) error { return fs.ErrNotExist }
	got := s.machine()
	if got.SubUID || got.SocketUnit || got.Linger || got.BindsAny || got.PortStart != 1024 || got.Tun != AccessMissing {
		t.Errorf("%+v", got)
	}
}

// engine answers on a unix socket with these bodies by path.
func engine(t *testing.T, libpod string, answers map[string]string) runtime.Candidate {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		if r.Method != http.MethodGet || !ok && r.URL.Path != "/_ping" {
			http.Error(w, "unexpected", http.StatusNotFound)
			return
		}
		w.Header().Set("Api-Version", "1.41")
		if libpod != "" {
			w.Header().Set("Libpod-Api-Version", libpod)
		}
		fmt.Fprint(w, text)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return runtime.Candidate{URL: "unix://" + path, Why: "socket"}
}

func TestEnginesAreAsked(t *testing.T) {
	docker := engine(t, "", map[string]string{
		"/version": `{"Version":"20.10.24"}`,
		"/info":    `{"SecurityOptions":["name=rootless"],"CgroupVersion":"2","DefaultRuntime":"runc","MemoryLimit":false}`,
	})
	podman := engine(t, "4.3.1", map[string]string{
		"/version":            `{"Version":"4.3.1"}`,
		"/info":               `{"CgroupVersion":"1"}`,
		"/v4.0.0/libpod/info": `{"host":{"cgroupVersion":"v1","ociRuntime":{"name":"crun"},"security":{"rootless":true}}}`,
	})
	broken := engine(t, "", map[string]string{"/version": `{"Version":"1"}`})
	nowhere := runtime.Candidate{URL: "unix://" + t.TempDir() + "/none.sock", Why: "DOCKER_HOST"}
	s := machine(t, nil)
	s.Engines = []runtime.Candidate{nowhere, docker, podman, docker, broken, {URL: "ftp://lab", Why: "DOCKER_HOST"}}
	want := []Engine{
		{From: "DOCKER_HOST", Address: nowhere.URL, Fault: "nobody listens there", Absent: true},
		{From: "socket", Address: docker.URL, Kind: "docker", Release: "20.10.24", API: "1.41", Rootless: true,
			OCIRuntime: "runc", NoLimits: true},
		{From: "socket", Address: podman.URL, Kind: "podman", Release: "4.3.1", API: "1.41", Rootless: true,
			OCIRuntime: "crun", CgroupV1: true},
		{From: "socket", Address: broken.URL, Kind: "docker", Release: "1", API: "1.41",
			Fault: "GET /info says 404 Not Found"},
		{From: "DOCKER_HOST", Address: "ftp://lab",
			Fault: `engine url "ftp://lab": want unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST/PATH`},
	}
	got := Gather(t.Context(), s).Engines
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

// An engine over SSH is asked as a run would ask it, and a fault says what to do.
func TestEngineOverSSH(t *testing.T) {
	server := enginetest.NewSSHD(t)
	way := engine(t, "", map[string]string{"/version": `{"Version":"20.10.24"}`, "/info": `{}`})
	way.URL, way.Why = server.URL(way.URL), "hosts.lab"
	way.SSH = tunnel.SSH{Identity: server.Identity, KnownHosts: server.KnownHosts}
	s := machine(t, nil)
	s.Engines = []runtime.Candidate{way}
	findings := Examine(Gather(t.Context(), s))
	for _, says := range []string{"docker 20.10.24 (API 1.41) at " + way.URL + " (hosts.lab)", way.URL + ": by ports published there"} {
		if !found(findings, OK, says, "") {
			t.Errorf("no %q in\n%+v", says, findings)
		}
	}
	for says, how := range map[string]tunnel.SSH{
		"read the key: open /none": {Identity: "/none", KnownHosts: server.KnownHosts},
		"add this line there":      {Identity: server.Identity, KnownHosts: "/none"},
	} {
		s.Engines[0].SSH = how
		if findings := Examine(Gather(t.Context(), s)); !found(findings, Fail, says, "") {
			t.Errorf("no %q in\n%+v", says, findings)
		}
	}
}
