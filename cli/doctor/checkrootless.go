package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// rootlessHere says whether the checks about this user's own Podman matter.
func rootlessHere(f Facts) bool { return f.UID != 0 && f.Podman }

func socketUnit(f Facts) []Finding {
	switch {
	case !rootlessHere(f) || !f.Systemd:
		return nil
	case f.SocketUnit:
		return ok("podman.socket", "enabled for "+f.User)
	default:
		return warn("podman.socket", "not enabled: after a boot nobody answers on it",
			"systemctl --user enable --now podman.socket")
	}
}

func linger(f Facts) []Finding {
	switch {
	case !rootlessHere(f) || !f.Systemd:
		return nil
	case f.Linger:
		return ok("linger", "services of "+f.User+" outlive the login")
	default:
		return warn("linger", "containers and fairlead end with the last login of "+f.User,
			"sudo loginctl enable-linger "+f.User)
	}
}

func subids(f Facts) []Finding {
	if !rootlessHere(f) {
		return nil
	}
	var all []Finding
	if !f.NewUIDMap {
		all = fail("subids", "newuidmap is not installed: rootless containers cannot start", "sudo apt-get install uidmap")
	}
	if !f.SubUID || !f.SubGID {
		all = append(all, fail("subids", f.User+" has no ranges in /etc/subuid and /etc/subgid",
			fmt.Sprintf("sudo usermod --add-subuids %[1]d-%[2]d --add-subgids %[1]d-%[2]d %[3]s", f.SubIDs, f.SubIDs+65535, f.User),
			"podman system migrate")...)
	}
	if all == nil {
		return ok("subids", f.User+" has its ranges")
	}
	return all
}

func network(f Facts) []Finding {
	switch {
	case !rootlessHere(f):
		return nil
	case f.Slirp4netns:
		return ok("network", "slirp4netns is installed")
	case f.Pasta:
		return ok("network", "pasta is installed (Podman 5; Podman 4 needs slirp4netns)")
	default:
		return fail("network", "neither slirp4netns nor pasta is installed: rootless containers have no network",
			"sudo apt-get install slirp4netns   # passt for Podman 5")
	}
}

func tun(f Facts) []Finding {
	if !rootlessHere(f) {
		return nil
	}
	switch f.Tun {
	case AccessDenied:
		return fail("tun", "/dev/net/tun may not be opened: rootless containers have no network",
			"sudo chmod 0666 /dev/net/tun")
	case AccessMissing:
		return fail("tun", "/dev/net/tun is not there: rootless containers have no network", "sudo modprobe tun")
	default:
		return ok("tun", "/dev/net/tun may be opened")
	}
}

// delegation: on cgroup v2 a user's containers have the controllers that systemd passed on.
func delegation(f Facts) []Finding {
	if !rootlessHere(f) || f.Cgroups != CgroupsV2 || !f.Systemd {
		return nil
	}
	var missing []string
	for _, controller := range []string{"cpu", "memory", "pids"} {
		if !slices.Contains(f.Delegated, controller) {
			missing = append(missing, controller)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return warn("limits", fmt.Sprintf("limits by %s have no effect: not delegated to %s", strings.Join(missing, ", "), f.User),
		"sudo mkdir -p /etc/systemd/system/user@.service.d",
		`printf '[Service]\nDelegate=cpu cpuset io memory pids\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf`,
		"sudo systemctl daemon-reload   # a new login makes it count")
}
