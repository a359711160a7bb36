package docker_test

import (
	"testing"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
	"github.com/fairlead/fairlead/runtime/docker"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

func TestContractByAddress(t *testing.T) {
	testContract(t, runtime.Reach{Mode: runtime.ReachAddress})
}

func TestContractPublished(t *testing.T) {
	testContract(t, runtime.Reach{Mode: runtime.ReachPublished})
}

func testContract(t *testing.T, reach runtime.Reach) {
	testContractOver(t, runtime.Options{URL: enginetest.Engine(t, "FAIRLEAD_TEST_DOCKER")}, reach)
}

func TestContractOverSSH(t *testing.T) {
	server := enginetest.NewSSHD(t)
	testContractOver(t, runtime.Options{
		URL: server.URL(enginetest.Engine(t, "FAIRLEAD_TEST_DOCKER")),
		SSH: tunnel.SSH{Identity: server.Identity, KnownHosts: server.KnownHosts},
	}, runtime.Reach{Mode: runtime.ReachPublished})
}

func testContractOver(t *testing.T, options runtime.Options, reach runtime.Reach) {
	url := enginetest.Engine(t, "FAIRLEAD_TEST_DOCKER")
	instance := enginetest.Instance()
	options.Instance = instance
	engine, err := docker.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	contract.Run(t, enginetest.Fixture(t, url, instance, engine, reach))
}
