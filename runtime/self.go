package runtime

import (
	"io"
	"os"
	"regexp"
	"strings"
)

// Self is the id of the container that this process runs in, empty if it runs in none: it must not be stopped as
// somebody else's. Engines mount some files of their own into every container, from a folder that its id names.
func Self() string {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer file.Close()
	mounts, _ := io.ReadAll(io.LimitReader(file, 1<<20)) // the engine's mounts are among the first
	return selfIn(string(mounts))
}

// fromEngine is the source of such a file on Docker and on Podman.
var fromEngine = regexp.MustCompile(`/(?:overlay-)?containers/([0-9a-f]{64})/`)

// selfIn reads mountinfo(5): the fourth field is what was mounted, the fifth where. Only the fixed places tell: a host
// has mounts of all of its containers.
func selfIn(mountinfo string) string {
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		switch fields[4] {
		case "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/run/.containerenv":
			if found := fromEngine.FindStringSubmatch(fields[3]); found != nil {
				return found[1]
			}
		}
	}
	return ""
}
