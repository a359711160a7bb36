package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

const engineBound = 5 * time.Second // a login over SSH takes a while

// Gather asks every engine that can be found, all at once, and reads what this machine says of itself.
func Gather(ctx context.Context, s Surroundings) Facts {
	f := s.machine()
	ctx, cancel := context.WithTimeout(ctx, engineBound)
	defer cancel()
	var asking sync.WaitGroup
	ways := distinct(s.Engines)
	for _, way := range ways {
		f.Engines = append(f.Engines, Engine{From: way.Why, Address: way.URL})
	}
	for i, way := range ways {
		asking.Go(func() { f.Engines[i].ask(ctx, way) })
	}
	asking.Wait()
	return f
}

// distinct keeps the first name of each address.
func distinct(candidates []runtime.Candidate) (once []runtime.Candidate) {
	seen := map[string]bool{}
	for _, c := range candidates {
		if !seen[c.URL] {
			seen[c.URL] = true
			once = append(once, c)
		}
	}
	return once
}

func (s Surroundings) machine() Facts {
	return Facts{
		UID:         s.UID,
		User:        s.User,
		InContainer: s.exists("/.dockerenv") || s.exists("/run/.containerenv"),
		Systemd:     s.exists("/run/systemd/system"),
		Podman:      s.Has("podman"),
		Slirp4netns: s.Has("slirp4netns"),
		Pasta:       s.Has("pasta"),
		NewUIDMap:   s.Has("newuidmap"),
		SubUID:      s.hasRange("/etc/subuid"),
		SubGID:      s.hasRange("/etc/subgid"),
		SubIDs:      max(s.freeRange("/etc/subuid"), s.freeRange("/etc/subgid")),
		SocketUnit:  s.socketEnabled(),
		Linger:      s.exists("/var/lib/systemd/linger/" + s.User),
		Tun:         s.access("/dev/net/tun"),
		Cgroups:     s.cgroups(),
		Delegated:   s.delegated(),
		PortStart:   s.portStart(),
		BindsAny:    s.bindsAny(),
		Ports:       s.Ports,
		ConfigNamed: s.Config,
		FilesHard:   s.Files,
	}
}

// hasRange looks for the user's line, by name or by number (subuid(5)).
func (s Surroundings) hasRange(path string) bool {
	for _, line := range strings.Split(s.read(path), "\n") {
		owner, _, _ := strings.Cut(line, ":")
		if owner != "" && (owner == s.User || owner == strconv.Itoa(s.UID)) {
			return true
		}
	}
	return false
}

// firstSubID is where useradd begins (login.defs(5)).
const firstSubID = 100000

// freeRange is the first id after all ranges: two users who shared one would own each other's containers.
func (s Surroundings) freeRange(path string) int {
	free := firstSubID
	for _, line := range strings.Split(s.read(path), "\n") {
		fields := strings.Split(line, ":")
		if len(fields) != 3 {
			continue
		}
		start, _ := strconv.Atoi(fields[1]) // 0 of what is no number ends before any range
		count, _ := strconv.Atoi(fields[2])
		free = max(free, start+count)
	}
	return free
}

func (s Surroundings) socketEnabled() bool {
	const wanted = "/systemd/user/sockets.target.wants/podman.socket"
	config := s.Env["XDG_CONFIG_HOME"]
	if config == "" {
		config = s.Env["HOME"] + "/.config"
	}
	return s.exists(config+wanted) || s.exists("/etc"+wanted)
}

func (s Surroundings) access(path string) Access {
	err := s.Writable(s.path(path))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return AccessDenied
	case errors.Is(err, fs.ErrNotExist):
		return AccessMissing
	default: // busy, say: it is there and may be opened
		return AccessFine
	}
}

func (s Surroundings) cgroups() Cgroups {
	switch {
	case s.exists("/sys/fs/cgroup/cgroup.controllers"):
		return CgroupsV2
	case s.exists("/sys/fs/cgroup/unified"):
		return CgroupsHybrid
	case s.exists("/sys/fs/cgroup/memory"):
		return CgroupsV1
	default:
		return CgroupsUnknown
	}
}

func (s Surroundings) delegated() []string {
	uid := strconv.Itoa(s.UID)
	return strings.Fields(s.read("/sys/fs/cgroup/user.slice/user-" + uid + ".slice/user@" + uid + ".service/cgroup.controllers"))
}

// portStart is 1024 where the kernel does not say (before 4.11).
func (s Surroundings) portStart() int {
	n, err := strconv.Atoi(strings.TrimSpace(s.read("/proc/sys/net/ipv4/ip_unprivileged_port_start")))
	if err != nil {
		return 1024
	}
	return n
}

const capNetBindService = 10 // capability.h

func (s Surroundings) bindsAny() bool {
	for _, line := range strings.Split(s.read("/proc/self/status"), "\n") {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err == nil && set&(1<<capNetBindService) != 0
		}
	}
	return false
}
