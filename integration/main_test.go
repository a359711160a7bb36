// Package integration holds the smokes: Fairlead's binary as a process, before one real engine, while somebody else acts
// on the same engine.
//
//	make smoke                                   # on Docker, Podman and rootless Podman
//	make smoke RUN=TestRemoved ENGINES=rootless
//
// A smoke launches a Fairlead of its own (fairlead_test.go) from a few lines of YAML (setup_test.go), comes as a visitor
// (visitor_test.go), does harm with the engine's own API (outside_test.go) or to the way to the engine (wire_test.go),
// and waits for words in the journal (events_test.go). Each has an instance and a state directory to itself, and takes
// its containers away. Nothing here is timed: deadlines say when to give up, and figures are printed (figures_test.go).
//
// They do not repeat what unit tests and the engines' contract hold; they see that the parts work as one.
package integration

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/image"
)

// atOnce bounds the smokes that run side by side: each has containers that boot.
const atOnce = "3"

// The engines by the names that scripts/engines.sh gives them.
const (
	docker   = "docker"
	podman   = "podman"
	rootless = "rootless"
)

var (
	kind   = os.Getenv("FAIRLEAD_TEST_ENGINE")
	binary = os.Getenv("FAIRLEAD_TEST_BIN")
	host   = os.Getenv("DOCKER_HOST")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if kind == "" || binary == "" || host == "" {
		fmt.Println("no smokes: FAIRLEAD_TEST_ENGINE, FAIRLEAD_TEST_BIN and DOCKER_HOST say with what; see make smoke")
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		return
	}
	if err := prepare(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		return err
	}
	for _, variant := range []image.Variant{image.Plain, image.Volume} {
		if _, err := image.BuildVariant(ctx, host, variant); err != nil {
			return err
		}
	}
	return nil
}

// onEachReach runs a smoke for each way to the engine's containers.
func onEachReach(t *testing.T, smoke func(t *testing.T, reach string)) {
	t.Parallel()
	for _, reach := range reaches() {
		t.Run(reach, func(t *testing.T) {
			t.Parallel()
			smoke(t, reach)
		})
	}
}

func reaches() []string {
	switch kind {
	case docker:
		return []string{"address", "published"}
	case rootless:
		return []string{"published"}
	default:
		return []string{"address"}
	}
}
