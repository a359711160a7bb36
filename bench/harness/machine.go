package harness

import (
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
)

// Machine says in a line what was measured on.
func Machine() string {
	return fmt.Sprintf("%d cores (%s), %s GiB, Linux %s, %s", goruntime.NumCPU(), processor(), memory(),
		strings.TrimSpace(read("/proc/sys/kernel/osrelease")), goruntime.Version())
}

// LoadAverage says: what else the machine did.
func LoadAverage() string {
	fields := strings.Fields(read("/proc/loadavg"))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// Release is the first line that a program says of itself, empty if it is not there.
func Release(command string, args ...string) string {
	said, err := exec.Command(command, args...).CombinedOutput() // wrk -v ends with status 1
	if len(said) == 0 && err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(said), "\n")
	return strings.TrimSpace(first)
}

func processor() string {
	for line := range strings.Lines(read("/proc/cpuinfo")) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return goruntime.GOARCH
}

func memory() string {
	var kib int
	_, _ = fmt.Sscanf(read("/proc/meminfo"), "MemTotal: %d", &kib)
	return fmt.Sprint(kib >> 20)
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}
