package conf

import (
	"regexp"
	"strings"
)

var (
	signal     = regexp.MustCompile(`^(SIG)?[A-Z][A-Z0-9+-]*$|^[1-9][0-9]?$`)
	capability = regexp.MustCompile(`^[A-Za-z_]+$`)
)

func (a *App) checkContainer(v value) {
	positive(v.get("memory"), a.Memory)
	positive(v.get("cpus"), a.CPUs)
	positive(v.get("shm_size"), a.ShmSize)
	if a.PidsLimit == 0 || a.PidsLimit < NoLimit {
		v.get("pids_limit").hint("-1 for no limit", "must be more than 0")
	}
	if a.StopSignal != "" && !signal.MatchString(a.StopSignal) {
		v.get("stop_signal").fail("expected a signal such as SIGINT, got %s", v.get("stop_signal").shown())
	}
	a.checkMaps(v)
	a.checkVolumes(v)
	v.get("cap_add").capabilities(a.CapAdd)
	v.get("cap_drop").capabilities(a.CapDrop)
	for _, option := range a.SecurityOpt {
		if strings.HasPrefix(option, "no-new-privileges") {
			v.get("security_opt").hint("no_new_privileges: true or false", "no-new-privileges has a key of its own")
		}
	}
}

func (v value) capabilities(names []string) {
	for _, name := range names {
		if !capability.MatchString(name) {
			v.fail("%q is no capability", name)
		}
	}
}

func (a *App) checkMaps(v value) {
	for _, name := range sortedKeys(a.Env) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			v.get("env", name).fail("is no name of a variable")
		}
		if strings.Contains(a.Env[name].Reveal(), "\x00") {
			v.get("env", name).fail("a variable cannot hold a NUL byte")
		}
	}
	// Only our own labels and names make a container ours (P9).
	for _, name := range sortedKeys(a.Labels) {
		if name == "" || strings.HasPrefix(name, "fairlead.") {
			v.get("labels", name).fail("labels that begin with fairlead. are Fairlead's own")
		}
	}
}

func (a *App) checkVolumes(v value) {
	seen := map[string]bool{}
	for i, volume := range a.Volumes {
		at := v.get("volumes").item(i)
		if seen[volume.Target] && !at.faulty() {
			at.fail("something else is mounted at %s already", volume.Target)
		}
		seen[volume.Target] = true
	}
	for _, network := range a.Networks {
		if network == "host" || network == "none" || strings.HasPrefix(network, "container:") {
			v.get("networks").hint("each replica needs an address of its own", "network %q is not offered", network)
		}
	}
}
