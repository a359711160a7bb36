package runtime

import (
	"context"
	"io"
	"time"
)

// Engine is one container engine behind one socket. Implementations are safe for concurrent use and hold no lock
// across a call to the engine.
//
// Every call is bounded by its context alone. "Already so" is success: starting what runs, stopping what stands and
// removing what is gone return nil. A missing container is ErrNotFound, a taken name ErrConflict, an ability that the
// engine lacks (pause on rootless cgroup v1) ErrUnsupported; anything else is an error about which nothing is known.
type Engine interface {
	// Info says what the engine is. It is the only call that also serves as a ping.
	Info(ctx context.Context) (Info, error)
	// ReplicaLiveness looks at the containers of the queries and discovers ours that nobody asked about. An error
	// means that the host as a whole is Unknown.
	ReplicaLiveness(ctx context.Context, queries []Query) (Report, error)
	// Pull makes the image present, as the policy says. Progress silence is bounded by the implementation.
	Pull(ctx context.Context, image string, policy PullPolicy) error
	// Image describes a local image. ErrNotFound if it is not there.
	Image(ctx context.Context, image string) (Image, error)
	// Create makes a container and returns its id. After an error that is neither ErrNotFound (the image) nor
	// ErrConflict nor ErrInvalid the container may exist all the same: settle by inspecting spec.Name.
	Create(ctx context.Context, spec Spec) (id string, err error)
	Start(ctx context.Context, id string) error
	// Inspect accepts an id or an exact name.
	Inspect(ctx context.Context, idOrName string) (Container, error)
	// Labelled lists the containers of anybody, running or not, that carry a label: KEY or KEY=VALUE. Start may be empty.
	Labelled(ctx context.Context, label string) ([]Container, error)
	// Stop sends the container's stop signal, and kills after grace (whole seconds, rounded up).
	Stop(ctx context.Context, id string, grace time.Duration) error
	Pause(ctx context.Context, id string) error
	Unpause(ctx context.Context, id string) error
	// Remove deletes the container and its anonymous volumes. Without force a running one is refused with
	// ErrStillRunning (409 on Docker, 500 on Podman).
	Remove(ctx context.Context, id string, force bool) error
	// Logs returns the container's output as plain bytes, standard output and error merged. The caller closes it.
	Logs(ctx context.Context, id string, options LogOptions) (io.ReadCloser, error)
	// Stats says what a running container takes. ErrUnsupported where the engine does not know (rootless Podman on
	// cgroup v1).
	Stats(ctx context.Context, id string) (Usage, error)
	Close() error
}

// Usage is what a container takes at one moment.
type Usage struct {
	Memory int64         // bytes, without files that the kernel merely keeps
	CPU    time.Duration // since the container's start, of all cores
}

// EventSource is an engine that streams what happens to containers. An engine without it is looked at by the periodic
// pass alone.
type EventSource interface {
	// Events streams until ctx ends or the stream breaks, then closes the channel; the error of a broken stream is
	// in the last Event's Err. A zero since means from now on.
	Events(ctx context.Context, since time.Time) (<-chan Event, error)
}

// LogOptions select a part of a container's output.
type LogOptions struct {
	Tail   int  // last lines; 0 means all
	Follow bool // keep streaming until the context ends or the container stops
}

// PullPolicy says when an image is fetched.
type PullPolicy string

const (
	PullNever   PullPolicy = "never"
	PullMissing PullPolicy = "missing" // the zero value means this, too
	PullNewer   PullPolicy = "newer"
	PullAlways  PullPolicy = "always"
)

// Kind names the engine's maker.
type Kind string

const (
	Docker    Kind = "docker"
	Podman    Kind = "podman"
	Simulated Kind = "simulated"
)

// Info is what an engine says about itself.
type Info struct {
	Kind     Kind
	Release  string // the engine's own version, e.g. 20.10.24
	API      string // negotiated API version
	Rootless bool
	Identity string // stable over restarts of the engine: Docker's Info.ID; Podman's graph root and user
	// Place tells engines apart that have one identity, as on machines that were cloned: the machine's name, and the
	// engine's folder there. It may change whenever the engine is restarted.
	Place    string
	CgroupV2 bool
	CanPause bool // rootless cgroup v1 cannot
}

// Image is what Fairlead needs to know of a local image.
type Image struct {
	ID      string
	Volumes []string // paths of VOLUME instructions
}

// Event is one engine event in the words of this package, whichever engine sent it.
type Event struct {
	Container string // full id
	Name      string
	Labels    map[string]string
	Action    Action
	Time      time.Time // the engine's clock: only ever handed back to the engine as since
	Err       error     // set on the last event of a broken stream
}

// Action is a normalised event name. Docker's destroy and Podman's remove are Removed, die and died are Died.
type Action string

const (
	Created  Action = "create"
	Started  Action = "start"
	Died     Action = "die"
	Stopping Action = "stop" // includes kill: a signal, not a death
	PausedIt Action = "pause"
	Unpaused Action = "unpause"
	Removed  Action = "remove"
	Renamed  Action = "rename"
	Health   Action = "health"
	Network  Action = "network" // connect or disconnect
)
