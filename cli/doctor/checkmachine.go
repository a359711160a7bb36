package doctor

import "fmt"

// hybrid: crun up to 1.8.1 starts nothing there ("cgroups in hybrid mode not supported"); runc does.
func hybrid(f Facts) []Finding {
	if f.Cgroups != CgroupsHybrid || !f.Podman || usesRunc(f) {
		return nil
	}
	folder := "~/.config/containers"
	if f.UID == 0 {
		folder = "/etc/containers"
	}
	folder += "/containers.conf.d"
	return warn("cgroups", "hybrid mode: Podman's crun may refuse to start anything",
		"sudo apt-get install runc",
		"mkdir -p "+folder+" && printf '[engine]\\nruntime = \"runc\"\\n' > "+folder+"/fairlead.conf")
}

func usesRunc(f Facts) bool {
	for _, e := range f.Engines {
		if e.Kind == "podman" && e.OCIRuntime == "runc" {
			return true
		}
	}
	return false
}

func ports(f Facts) []Finding {
	if f.UID == 0 || f.BindsAny {
		return ok("ports", "any port may be listened on")
	}
	if !f.ConfigNamed {
		return ok("ports", fmt.Sprintf("from %d on", f.PortStart))
	}
	var all []Finding
	for _, port := range f.Ports {
		if port > 0 && port < f.PortStart {
			all = append(all, fail("ports", fmt.Sprintf("port %d needs a privilege: %d is the first that does not",
				port, f.PortStart),
				fmt.Sprintf("echo net.ipv4.ip_unprivileged_port_start=%d | sudo tee /etc/sysctl.d/50-fairlead.conf", port),
				"sudo sysctl --system")...)
		}
	}
	if all == nil {
		return ok("ports", "those of the configuration may be listened on")
	}
	return all
}

// enoughFiles: a proxied connection takes two, and a visitor's browser opens several.
const enoughFiles = 8192

func files(f Facts) []Finding {
	detail := fmt.Sprintf("%d may be open: about %d connections at once", f.FilesHard, f.FilesHard/2)
	if f.FilesHard >= enoughFiles {
		return ok("files", detail)
	}
	const service = "   # for a service: LimitNOFILE=65536"
	if f.UID == 0 {
		return warn("files", detail, "ulimit -Hn 65536"+service)
	}
	return warn("files", detail, "echo '"+f.User+" hard nofile 65536' | sudo tee /etc/security/limits.d/fairlead.conf"+service,
		"# a new login makes it count")
}
