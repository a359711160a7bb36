package runtime

import "strings"

// actions maps the names that engines use to ours (case B032): Docker says die and destroy, Podman's native API died
// and remove, its compatible one die and remove.
var actions = map[string]Action{
	"create":     Created,
	"start":      Started,
	"die":        Died,
	"died":       Died,
	"kill":       Stopping,
	"stop":       Stopping,
	"pause":      PausedIt,
	"unpause":    Unpaused,
	"destroy":    Removed,
	"remove":     Removed,
	"rename":     Renamed,
	"connect":    Network,
	"disconnect": Network,
}

// ActionOf normalises an engine's name of an event; false for one that changes nothing for us (exec_start, cleanup,
// init). A health event carries its value behind the name.
func ActionOf(name string) (Action, bool) {
	if strings.HasPrefix(name, "health_status") {
		return Health, true
	}
	action, ok := actions[name]
	return action, ok
}
