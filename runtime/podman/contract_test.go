package podman_test

import (
	"testing"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
	"github.com/fairlead/fairlead/runtime/podman"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

func TestContractRootfulByAddress(t *testing.T) {
	testContract(t, "FAIRLEAD_TEST_PODMAN", runtime.Reach{Mode: runtime.ReachAddress})
}

func TestContractRootfulPublished(t *testing.T) {
	testContract(t, "FAIRLEAD_TEST_PODMAN", runtime.Reach{Mode: runtime.ReachPublished})
}

func TestContractRootless(t *testing.T) {
	testContract(t, "FAIRLEAD_TEST_PODMAN_ROOTLESS", runtime.Reach{Mode: runtime.ReachPublished})
}

func testContract(t *testing.T, variable string, reach runtime.Reach) {
	testContractOver(t, variable, runtime.Options{URL: enginetest.Engine(t, variable)}, reach)
}

func TestContractRootlessOverSSH(t *testing.T) {
	const variable = "FAIRLEAD_TEST_PODMAN_ROOTLESS"
	server := enginetest.NewSSHD(t)
	testContractOver(t, variable, runtime.Options{
		URL: server.URL(enginetest.Engine(t, variable)),
		SSH: tunnel.SSH{Identity: server.Identity, KnownHosts: server.KnownHosts},
	}, runtime.Reach{Mode: runtime.ReachPublished})
}

func testContractOver(t *testing.T, variable string, options runtime.Options, reach runtime.Reach) {
	url := enginetest.Engine(t, variable)
	instance := enginetest.Instance()
	options.Instance = instance
	engine, err := podman.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	contract.Run(t, enginetest.Fixture(t, url, instance, engine, reach))
}
