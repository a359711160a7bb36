package contract

import (
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// FullSpec uses every option that all engines take. The suite starts it; an engine's own tests look at what arrived.
func FullSpec(spec runtime.Spec) runtime.Spec {
	spec.Env = []string{"EMPTY=", "GREETING=a=b c"}
	spec.User = "1000:1000"
	spec.StopSignal = "SIGINT"
	spec.StopGrace = 90 * time.Second
	spec.Tmpfs = []string{"/scratch:size=1m", "/more"}
	spec.Volumes = []runtime.Volume{{Source: "/etc", Target: "/host", ReadOnly: true}}
	spec.Memory = 64 << 20
	spec.CPUs = 0.5
	spec.PidsLimit = 100
	spec.ShmSize = 1 << 20
	spec.Devices = []string{"/dev/null:/dev/nothing:r"}
	spec.CapDrop = []string{"ALL"}
	spec.CapAdd = []string{"NET_BIND_SERVICE"}
	spec.SecurityOpt = []string{"seccomp=unconfined"}
	// Both: Podman drops its configured defaults as soon as one is given, and its built-in nproc may not be allowed.
	spec.Ulimits = []runtime.Ulimit{{Name: "nofile", Soft: 1000, Hard: 2000}, {Name: "nproc", Soft: 1000, Hard: 2000}}
	spec.LogMaxSize = 1 << 20
	return spec
}
