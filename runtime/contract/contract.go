// Package contract holds what every engine promises, as one test suite: the same answers from Docker, from Podman,
// rootful and rootless, and from the simulated engine.
//
//	contract.Run(t, contract.Fixture{Engine: engine, Instance: "test-1", Image: image, Outside: outside, …})
//
// A fixture says how to make a container run and end on its engine, and brings an Outside, which acts behind Fairlead's
// back as a person at a terminal would. Each part makes its own containers and removes them. What an engine itself
// cannot do, such as pause on rootless cgroup v1, is asserted as a clear error.
//
// The suite knows nothing of one engine's API. It tests neither what follows from a verdict (package liveness) nor
// faults of the engine, which only a simulated one has on demand. Only tests import this package.
package contract

import (
	"context"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// Fixture is one engine made ready for the suite.
type Fixture struct {
	Engine   runtime.Engine
	Instance string // the one that Engine was made with; nobody else's on this engine
	Reach    runtime.Reach
	Image    string
	// VolumeImage is like Image and declares one VOLUME.
	VolumeImage string
	// Serve is the command that listens on Port (TCP) until the stop signal, and then ends with code 0.
	Serve []string
	Port  int
	// Exit is the command that writes Says and ends at once with the code.
	Exit func(code int) []string
	Says string
	// Dial succeeds when the app answers at an endpoint; nil if the engine's addresses lead nowhere.
	Dial    func(ctx context.Context, to runtime.Endpoint) error
	Outside Outside
}

// Outside acts on the engine without Fairlead.
type Outside interface {
	// Restart stops and starts the container at once.
	Restart(ctx context.Context, id string) error
	// Kill ends its processes with SIGKILL.
	Kill(ctx context.Context, id string) error
	// Remove removes it with force.
	Remove(ctx context.Context, id string) error
	// Run starts a stranger's container with the fixture's image.
	Run(ctx context.Context, name string, labels map[string]string) (id string, err error)
	// Copy makes an image of the container, labels included, and runs it under another name: docker commit.
	Copy(ctx context.Context, id, name string) (copyID string, err error)
	// Volumes names the volumes of a container.
	Volumes(ctx context.Context, id string) ([]string, error)
	// HasVolume says whether a volume is there.
	HasVolume(ctx context.Context, name string) (bool, error)
}

// Networker is an Outside that can make networks; without it the part about them is skipped. Its fixture's Serve ends
// with the port, since two who share a network cannot share that.
type Networker interface {
	// Network makes a bridge network, which the fixture removes at the end.
	Network(ctx context.Context, name string) error
}

// Run runs the whole suite.
func Run(t *testing.T, fixture Fixture) {
	parts := []struct {
		name string
		test func(*testing.T, bench)
	}{
		{"says what it is", saysWhatItIs},
		{"lives and ends", livesAndEnds},
		{"exit code and logs", exitCodeAndLogs},
		{"pauses or says that it cannot", pauses},
		{"measures or says that it cannot", measures},
		{"refuses by the right error", refuses},
		{"a lost reply is settled by name", settlesByName},
		{"sees what others do", seesWhatOthersDo},
		{"another engine concludes nothing", concludesNothing},
		{"discovers its own containers only", discoversItsOwn},
		{"reads addresses again", readsAddressesAgain},
		{"joins networks", joinsNetworks},
		{"is removed by two at once", isRemovedByTwo},
		{"takes anonymous volumes along", takesVolumesAlong},
		{"accepts all options", acceptsOptions},
		{"obeys its context", obeysItsContext},
		{"streams events", streamsEvents},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.test(t, newBench(t, fixture)) })
	}
}
