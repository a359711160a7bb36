package runtime_test

import (
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// case B032: both vocabularies give the same words.
func TestActionOf(t *testing.T) {
	for name, want := range map[string]runtime.Action{
		"create": runtime.Created, "start": runtime.Started,
		"die": runtime.Died, "died": runtime.Died,
		"stop": runtime.Stopping, "kill": runtime.Stopping,
		"destroy": runtime.Removed, "remove": runtime.Removed,
		"pause": runtime.PausedIt, "unpause": runtime.Unpaused, "rename": runtime.Renamed,
		"health_status": runtime.Health, "health_status: unhealthy": runtime.Health,
		"connect": runtime.Network, "disconnect": runtime.Network,
		"exec_start: /demo -check": "", "cleanup": "", "init": "", "": "",
	} {
		got, ok := runtime.ActionOf(name)
		if got != want || ok != (want != "") {
			t.Errorf("%q: want %q, got %q, %v", name, want, got, ok)
		}
	}
}
