package doctor

import (
	"strings"
	"testing"
)

// fine is a rootless user's machine on which nothing is wrong.
func fine() Facts {
	return Facts{
		UID: 1000, User: "ana", Systemd: true, Podman: true, Slirp4netns: true, NewUIDMap: true,
		SubUID: true, SubGID: true, SocketUnit: true, Linger: true, Cgroups: CgroupsV2,
		Delegated: []string{"cpu", "memory", "pids"}, PortStart: 1024, FilesHard: 524288,
		Engines: []Engine{podman()},
	}
}

func podman() Engine {
	return Engine{From: "socket", Address: "unix:///run/user/1000/podman/podman.sock",
		Kind: "podman", Release: "5.4.2", API: "1.41", Rootless: true, OCIRuntime: "crun"}
}

func TestNothingWrong(t *testing.T) {
	findings := Examine(fine())
	for _, f := range findings {
		if f.Level != OK || len(f.Fix) > 0 {
			t.Errorf("%+v", f)
		}
	}
	if Failed(findings) {
		t.Error("failed")
	}
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Facts)
		level  Level
		says   string // in the detail
		fix    string // in the fix
	}{
		{"no engine, podman there", func(f *Facts) { f.Engines = nil },
			Fail, "no container engine answers", "systemctl --user enable --now podman.socket"},
		{"no engine, nothing there", func(f *Facts) { f.Engines, f.Podman = nil, false },
			Fail, "no container engine answers", "apt-get install podman"},
		{"no engine, root", func(f *Facts) { f.Engines, f.UID = nil, 0 },
			Fail, "no container engine answers", "systemctl enable --now podman.socket"},
		{"no engine, no systemd", func(f *Facts) { f.Engines, f.Systemd = nil, false },
			Fail, "no container engine answers", `podman system service --time=0 "unix://$XDG_RUNTIME_DIR/podman/podman.sock"`},
		{"socket of root's", func(f *Facts) {
			f.Engines = []Engine{{From: "socket", Address: "unix:///var/run/docker.sock", Fault: "permission denied", Denied: true}}
		}, Fail, "permission denied", "usermod -aG docker ana"},
		{"one of two denied", func(f *Facts) {
			f.Engines = append(f.Engines, Engine{From: "socket", Address: "unix:///d.sock", Fault: "permission denied", Denied: true})
		}, Warn, "unix:///d.sock: permission denied", "usermod"},
		{"DOCKER_HOST to nowhere", func(f *Facts) {
			f.Engines = []Engine{{From: "DOCKER_HOST", Address: "unix:///x", Fault: "nobody listens there", Absent: true}}
		}, Fail, "unix:///x (DOCKER_HOST): nobody listens there", "unset DOCKER_HOST"},
		{"remote engine", func(f *Facts) { f.Engines[0].Address = "tcp://10.0.0.5:2375" },
			Warn, "is remote", "address: "},
		{"engine by ssh", func(f *Facts) { f.Engines[0].Address = "ssh://ops@lab/s" },
			Warn, "is remote", "address: "},
		{"configured and down", func(f *Facts) {
			f.Engines = append(f.Engines, Engine{From: "hosts.lab", Address: "tcp://10.0.0.5:2376", Fault: "nobody listens there", Absent: true})
		}, Warn, "tcp://10.0.0.5:2376 (hosts.lab): nobody listens there", ""},
		{"in a container", func(f *Facts) { f.InContainer = true },
			Warn, "seems to be a container", "reach: network:NAME"},
		{"rootless on cgroup v1", func(f *Facts) { f.Engines[0].CgroupV1 = true },
			Warn, "ignores memory and cpus and cannot pause", "systemd.unified_cgroup_hierarchy=1"},
		{"engine without limits", func(f *Facts) { f.Engines[0].NoLimits = true },
			Warn, "have no effect", "update-grub"},
		{"nothing delegated", func(f *Facts) { f.Delegated = []string{"memory", "pids"} },
			Warn, "limits by cpu have no effect", "Delegate=cpu cpuset io memory pids"},
		{"hybrid cgroups with crun", func(f *Facts) { f.Cgroups = CgroupsHybrid },
			Warn, "hybrid mode", `runtime = "runc"`},
		{"socket unit", func(f *Facts) { f.SocketUnit = false },
			Warn, "not enabled", "systemctl --user enable --now podman.socket"},
		{"linger", func(f *Facts) { f.Linger = false },
			Warn, "end with the last login of ana", "loginctl enable-linger ana"},
		{"no subids", func(f *Facts) { f.SubGID, f.SubIDs = false, 165536 },
			Fail, "no ranges", "--add-subuids 165536-231071 --add-subgids 165536-231071 ana"},
		{"no newuidmap", func(f *Facts) { f.NewUIDMap = false },
			Fail, "newuidmap", "apt-get install uidmap"},
		{"no network helper", func(f *Facts) { f.Slirp4netns = false },
			Fail, "neither slirp4netns nor pasta", "apt-get install slirp4netns"},
		{"tun denied", func(f *Facts) { f.Tun = AccessDenied },
			Fail, "may not be opened", "chmod 0666 /dev/net/tun"},
		{"tun missing", func(f *Facts) { f.Tun = AccessMissing },
			Fail, "not there", "modprobe tun"},
		{"a low port", func(f *Facts) { f.ConfigNamed, f.Ports = true, []int{8080, 80} },
			Fail, "port 80 needs a privilege", "ip_unprivileged_port_start=80"},
		{"few files", func(f *Facts) { f.FilesHard = 1024 },
			Warn, "about 512 connections", "echo 'ana hard nofile 65536' | sudo tee /etc/security/limits.d/fairlead.conf"},
		{"few files, root", func(f *Facts) { f.FilesHard, f.UID = 1024, 0 },
			Warn, "about 512 connections", "ulimit -Hn 65536"},
		{"hybrid cgroups, root", func(f *Facts) { f.Cgroups, f.UID = CgroupsHybrid, 0 },
			Warn, "hybrid mode", "apt-get install runc"},
	} {
		f := fine()
		c.change(&f)
		if !found(Examine(f), c.level, c.says, c.fix) {
			t.Errorf("%s: no %s with %q and %q in\n%+v", c.name, c.level, c.says, c.fix, Examine(f))
		}
	}
}

// Root has no sudo on many a machine.
func TestRootPastesNoSudo(t *testing.T) {
	f := fine()
	f.UID, f.Cgroups, f.Engines[0].CgroupV1, f.FilesHard = 0, CgroupsHybrid, true, 1024
	for range 2 { // what is shared by findings is not spoilt
		for _, finding := range Examine(f) {
			if strings.Contains(strings.Join(finding.Fix, "\n"), "sudo") {
				t.Errorf("%+v", finding)
			}
		}
	}
	if !found(Examine(Facts{UID: 1, User: "ana", Engines: []Engine{{Rootless: true, CgroupV1: true}}}), Warn, "cgroup v1", "sudo update-grub") {
		t.Error("others need it")
	}
}

func found(findings []Finding, level Level, says, fix string) bool {
	for _, f := range findings {
		if f.Level == level && strings.Contains(f.Detail, says) && strings.Contains(strings.Join(f.Fix, "\n"), fix) {
			return true
		}
	}
	return false
}

func TestWhatDoesNotMatterIsNotSaid(t *testing.T) {
	for name, change := range map[string]func(*Facts){
		"pasta alone":            func(f *Facts) { f.Slirp4netns, f.Pasta = false, true },
		"hybrid with runc":       func(f *Facts) { f.Cgroups, f.Engines[0].OCIRuntime = CgroupsHybrid, "runc" },
		"no systemd":             func(f *Facts) { f.Systemd, f.Linger, f.SocketUnit = false, false, false },
		"a dead socket besides":  func(f *Facts) { f.Engines = append(f.Engines, Engine{From: "socket", Fault: "x", Absent: true}) },
		"a low port with rights": func(f *Facts) { f.ConfigNamed, f.Ports, f.BindsAny = true, []int{80}, true },
		"root has no subids": func(f *Facts) {
			f.UID, f.SubUID, f.SubGID, f.NewUIDMap, f.Linger = 0, false, false, false, false
		},
	} {
		f := fine()
		change(&f)
		for _, finding := range Examine(f) {
			if finding.Level != OK {
				t.Errorf("%s: %+v", name, finding)
			}
		}
	}
}
