package podman

import (
	"github.com/containers/podman/v5/pkg/specgen"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/fairlead/fairlead/runtime"
)

// cpuPeriod is the kernel's default accounting period, in microseconds.
const cpuPeriod = 100_000

// limit: rootless Podman on cgroup v1 takes these limits and ignores them; `fairlead doctor` says so.
func limit(g *specgen.SpecGenerator, spec runtime.Spec) {
	resources := &specs.LinuxResources{}
	if spec.Memory > 0 {
		resources.Memory = &specs.LinuxMemory{Limit: &spec.Memory}
	}
	if spec.CPUs > 0 {
		period, quota := uint64(cpuPeriod), int64(spec.CPUs*cpuPeriod)
		resources.CPU = &specs.LinuxCPU{Period: &period, Quota: &quota}
	}
	if spec.PidsLimit != 0 { // -1 would make crun ask for the pids controller, which a user may not have; 0 is no limit too
		resources.Pids = &specs.LinuxPids{Limit: max(spec.PidsLimit, 0)}
	}
	g.ResourceLimits = resources
	if spec.ShmSize > 0 {
		g.ShmSize = &spec.ShmSize
	}
	for _, d := range spec.Devices { // the service splits host:container:permissions itself
		g.Devices = append(g.Devices, specs.LinuxDevice{Path: d})
	}
	for _, u := range spec.Ulimits { // by setrlimit's short names: RLIMIT_NOFILE would become RLIMIT_RLIMIT_NOFILE
		g.Rlimits = append(g.Rlimits, specs.POSIXRlimit{Type: u.Name, Soft: uint64(u.Soft), Hard: uint64(u.Hard)})
	}
}
