package conf

import (
	"fmt"
	"reflect"
)

// Diff is what a reload has to apply.
type Diff struct {
	Added, Removed, Changed []string // names of apps
	Hosts                   bool
	Listeners               bool     // any of Listen
	Settings                bool     // anything else that a running process can take
	Restart                 []string // keys that changed and that only a new process can take
	Refused                 string   // why nothing of it may be applied; empty: it may
}

// Empty reports whether there is nothing to do.
func (d Diff) Empty() bool { return reflect.DeepEqual(d, Diff{}) }

// Difference compares the configuration that runs with a new valid one.
func Difference(old, new *Config) Diff {
	d := Diff{
		Hosts:     !reflect.DeepEqual(old.Hosts, new.Hosts),
		Listeners: !reflect.DeepEqual(old.Listen, new.Listen),
		Settings:  !reflect.DeepEqual(old.settings(), new.settings()),
	}
	d.apps(old.Apps, new.Apps)
	if old.Instance != new.Instance {
		d.Restart = append(d.Restart, "instance")
	}
	if old.State != new.State {
		d.Restart = append(d.Restart, "state")
	}
	if old.Log.Access.destination() != new.Log.Access.destination() {
		d.Restart = append(d.Restart, "log.access")
	}
	if !reflect.DeepEqual(old.Tracing, new.Tracing) {
		d.Restart = append(d.Restart, "tracing")
	}
	// A truncated file, an unmounted directory: nobody means to stop everything by a reload.
	if len(old.Apps) > 0 && len(new.Apps) == 0 {
		d.Refused = fmt.Sprintf("it has no apps, and %d run: remove them one by one, or restart Fairlead", len(old.Apps))
	}
	return d
}

func (d *Diff) apps(old, new map[string]*App) {
	for _, name := range sortedKeys(new) {
		switch was, ok := old[name]; {
		case !ok:
			d.Added = append(d.Added, name)
		case !reflect.DeepEqual(was, new[name]):
			d.Changed = append(d.Changed, name)
		}
	}
	for _, name := range sortedKeys(old) {
		if _, ok := new[name]; !ok {
			d.Removed = append(d.Removed, name)
		}
	}
}

// settings is a copy without what Diff tells apart.
func (c *Config) settings() Config {
	s := *c
	s.Listen, s.Instance, s.State, s.Hosts, s.Apps, s.warnings = Listen{}, "", "", nil, nil, nil
	return s
}
