package runtime

import (
	"net/netip"
	"strconv"
	"strings"
)

// Status is the engine's own word for the condition of a container, normalised.
type Status string

const (
	StatusCreated    Status = "created"
	StatusRunning    Status = "running"
	StatusPaused     Status = "paused"
	StatusRestarting Status = "restarting"
	StatusRemoving   Status = "removing"
	StatusExited     Status = "exited"
	StatusDead       Status = "dead"
)

// Container is what an engine says of one container at one moment.
type Container struct {
	ID     string // full id
	Name   string // without the leading slash that Docker adds
	Image  string
	Labels map[string]string
	Status Status
	// Start names one run of the container: the engine's start time as it was sent. It is compared for equality
	// only; two clocks are never compared. Empty when it never ran.
	Start      string
	ExitCode   int
	OOM        bool
	FinishedAt string // the engine's words, for people
	Health     string // healthy, unhealthy, starting; empty without a health check
	// IPs are the container's own addresses, the one of the requested network first.
	IPs []netip.Addr
	// Networks holds the same addresses by network.
	Networks map[string][]netip.Addr
	// Published maps a container's TCP port to the host's address for it, as it is now. Wildcard addresses are
	// already turned into loopback.
	Published map[int]netip.AddrPort
	// PublishedUDP is the same for UDP ports.
	PublishedUDP map[int]netip.AddrPort
	// AnonymousVolumes counts the volumes that only this container knows; removing it removes them.
	AnonymousVolumes int
}

// Runs says whether processes of the container execute right now.
func (c Container) Runs() bool { return VerdictOf(c.Status) == Running }

// Stands says that the container is there and has no process.
func (c Container) Stands() bool { return VerdictOf(c.Status) == Stopped }

// Frozen says that its processes are paused.
func (c Container) Frozen() bool { return VerdictOf(c.Status) == Paused }

// Labels of the containers that Fairlead makes. A label alone proves nothing (docker commit copies them into images):
// see Ours.
const (
	LabelInstance = "fairlead.instance"
	LabelApp      = "fairlead.app"
	LabelReplica  = "fairlead.replica"
	LabelSpec     = "fairlead.spec"
	LabelPort     = "fairlead.port"
)

// MainPort is the app's main port as the container was made with, whatever the configuration says now. 0 if it is not
// known, or there is none.
func MainPort(c Container) int {
	port, err := strconv.ParseUint(c.Labels[LabelPort], 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

// ContainerName is the exact name of a replica's container. It is how an unanswered create is settled.
func ContainerName(instance, app, replica string) string {
	return "fairlead-" + instance + "-" + app + "-" + replica
}

// Ours says whether the container was made by this instance of Fairlead: its labels and its name agree (P9).
func Ours(c Container, instance string) bool {
	app, replica := c.Labels[LabelApp], c.Labels[LabelReplica]
	if c.Labels[LabelInstance] != instance || app == "" || replica == "" {
		return false
	}
	return strings.TrimPrefix(c.Name, "/") == ContainerName(instance, app, replica)
}
