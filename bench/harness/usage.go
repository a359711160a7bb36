package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc/PID/stat, 1/USER_HZ, which is 100 on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// Usage is what a process and its children that live hold and have spent.
type Usage struct {
	CPU time.Duration // user and system
	RSS int64         // bytes; pages that processes share count in each
	PSS int64         // bytes; shared pages count once
}

// Usage of the process and its children now.
func (p *Process) Usage() Usage { return UsageOf(p.PID()) }

// UsageOf sums over a process and all its descendants. One that ends meanwhile counts as nothing.
func UsageOf(pid int) (sum Usage) {
	for _, id := range family(pid) {
		sum.CPU += cpuOf(id)
		sum.RSS += rollup(id, "Rss:")
		sum.PSS += rollup(id, "Pss:")
	}
	return sum
}

// CPUOf is UsageOf without the memory, whose reading walks page tables.
func CPUOf(pid int) (sum time.Duration) {
	for _, id := range family(pid) {
		sum += cpuOf(id)
	}
	return sum
}

// Descriptors that a process and its children have open.
func Descriptors(pid int) (n int) {
	for _, id := range family(pid) {
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", id))
		n += len(open)
	}
	return n
}

func family(pid int) []int {
	all := []int{pid}
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, thread := range threads {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		for _, child := range strings.Fields(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				all = append(all, family(id)...)
			}
		}
	}
	return all
}

// cpuOf reads utime and stime, fields 14 and 15; the second field may hold spaces, so counting begins behind it.
func cpuOf(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

func rollup(pid int, key string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
