package doctor

import (
	"fmt"
	"slices"
	"strings"
)

func engines(f Facts) []Finding {
	var all []Finding
	answered := slices.ContainsFunc(f.Engines, Engine.Answers)
	for _, e := range f.Engines {
		switch {
		case e.Answers():
			all = append(all, ok("engine", describe(e))...)
		case e.Absent && (answered || !named(e)) && !e.configured():
			// Nobody asked for it: that it is not there is no news.
		default:
			all = append(all, silent(f, e, answered))
		}
	}
	if !answered {
		all = append(all, noEngine(f))
	}
	return all
}

func describe(e Engine) string {
	mode := ""
	if e.Rootless {
		mode = ", rootless"
	}
	return fmt.Sprintf("%s %s%s (API %s) at %s", e.Kind, e.Release, mode, e.API, place(e))
}

func place(e Engine) string {
	if !named(e) {
		return e.Address
	}
	return e.Address + " (" + e.From + ")"
}

// named says whether somebody meant this engine: by a variable, a context, the configuration.
func named(e Engine) bool { return e.From != "socket" }

func silent(f Facts, e Engine, answered bool) Finding {
	finding := Finding{Level: Fail, Name: "engine", Detail: place(e) + ": " + e.Fault}
	if answered {
		finding.Level = Warn
	}
	if e.Denied {
		finding.Fix = []string{
			"sudo usermod -aG docker " + f.User + "   # is as good as root; a new login makes it count",
			startPodman(f) + "   # or rootless Podman, which needs no group",
		}
	} else if strings.HasSuffix(e.From, "_HOST") {
		finding.Fix = []string{"unset " + e.From + "   # or start what it names"}
	}
	return finding
}

func noEngine(f Facts) Finding {
	finding := Finding{Level: Fail, Name: "engine", Detail: "no container engine answers"}
	if !f.Podman {
		finding.Fix = append(finding.Fix, "sudo apt-get install podman uidmap slirp4netns")
	}
	finding.Fix = append(finding.Fix, startPodman(f))
	return finding
}

func startPodman(f Facts) string {
	switch {
	case !f.Systemd && f.UID == 0:
		return "mkdir -p /run/podman && podman system service --time=0 unix:///run/podman/podman.sock &"
	case !f.Systemd:
		return `mkdir -p "$XDG_RUNTIME_DIR/podman" && podman system service --time=0 "unix://$XDG_RUNTIME_DIR/podman/podman.sock" &`
	case f.UID == 0:
		return "systemctl enable --now podman.socket"
	default:
		return "systemctl --user enable --now podman.socket"
	}
}

// reach says how the containers of each engine will be got at (reach: auto).
func reach(f Facts) []Finding {
	var all []Finding
	for _, e := range f.Engines {
		switch {
		case !e.Answers():
		case e.remote() && e.configured():
			all = append(all, ok("reach", e.Address+": by ports published there, unless its reach says otherwise")...)
		case e.remote():
			all = append(all, warn("reach", e.Address+" is remote: its containers are reached by published ports",
				"# in the configuration: hosts: {NAME: {url: "+e.Address+", address: THE-HOST'S-ADDRESS}}")...)
		case e.Rootless:
			all = append(all, ok("reach", e.Address+": by ports published on loopback")...)
		default:
			all = append(all, ok("reach", e.Address+": by the containers' own addresses")...)
		}
	}
	return all
}

func container(f Facts) []Finding {
	if !f.InContainer {
		return nil
	}
	return warn("reach", "this seems to be a container: those of an engine outside are reached by a network in common",
		"# in the configuration: hosts: {local: {reach: network:NAME}}")
}

func limits(f Facts) []Finding {
	var all []Finding
	for _, e := range f.Engines {
		switch {
		case !e.Answers():
		case e.Rootless && e.CgroupV1:
			all = append(all, warn("limits", e.Address+
				": rootless on cgroup v1 ignores memory and cpus and cannot pause (sleep: pause)", bootV2...)...)
		case e.NoLimits:
			all = append(all, warn("limits", e.Address+": the engine says that memory or cpus have no effect", bootV2...)...)
		}
	}
	return all
}

var bootV2 = []string{
	`sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&systemd.unified_cgroup_hierarchy=1 /' /etc/default/grub`,
	"sudo update-grub && sudo reboot",
}
