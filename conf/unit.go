package conf

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// labelUnit is what Podman labels the containers of units with.
const labelUnit = "PODMAN_SYSTEMD_UNIT="

// serviceName: of a template, the instance has to be named, since there is nothing to start without one.
var serviceName = regexp.MustCompile(`^[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]+)?\.service$`)

// otherUnits have no containers.
var otherUnits = []string{"timer", "socket", "target", "path", "slice", "scope", "mount", "volume", "network", "image",
	"build"}

// one says whether the containers are named in one way.
func (a Adopt) one() bool {
	ways := 0
	for _, way := range []string{a.Name, a.Label, a.Unit} {
		if way != "" {
			ways++
		}
	}
	return ways == 1
}

// plain is the same for what names the same containers: a unit's have its label.
func (a Adopt) plain() Adopt {
	if a.Unit != "" {
		return Adopt{Label: labelUnit + a.Unit}
	}
	return a
}

func (a *App) checkUnit(unit, v value) {
	if !unit.faulty() && !v.get("adopt").faulty() {
		checkServiceName(unit, a.Adopt.Unit)
	}
	if a.Replicas.Max > 1 {
		v.get("replicas", "max").refuse("a unit runs one container")
	}
	if a.Sleep == "remove" || a.Sleep == "pause" {
		v.get("sleep").hint("stop", "a unit is stopped, and what becomes of its container is for the unit to say")
	}
	if v.get("stop_grace").given() {
		v.get("stop_grace").warn("TimeoutStopSec in the unit", "does nothing: a unit is stopped by systemd")
	}
}

func checkServiceName(unit value, name string) {
	suffix := strings.TrimPrefix(path.Ext(name), ".")
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	switch {
	case suffix == "container" || suffix == "kube":
		unit.hint(stem+".service", "%s is the file of a Quadlet; the unit that is made of it is a service", unit.shown())
	case suffix == "pod":
		unit.hint("adopt the service of the container in it that visitors reach", "%s is the file of a pod", unit.shown())
	case strings.HasSuffix(stem, "@") && suffix == "service":
		unit.hint(stem+"1.service", "%s is a template; which of its instances?", unit.shown())
	case serviceName.MatchString(name) && len(name) < 256:
	case slices.Contains(otherUnits, suffix) && serviceName.MatchString(stem+".service"):
		unit.hint(stem+".service", "expected a service of systemd, got %s", unit.shown())
	case serviceName.MatchString(name + ".service"):
		unit.hint(name+".service", "expected a service of systemd, got %s", unit.shown())
	default:
		unit.hint("web.service", "expected a service of systemd, got %s", unit.shown())
	}
}

// checkUnitHost: a unit is run by the systemd of this machine, and its container by one engine beside it.
func (c *Config) checkUnitHost(app *App, v value) {
	hosts, at := app.Hosts, v.get("hosts")
	if len(hosts) == 0 {
		hosts, at = sortedKeys(c.Hosts), v.get("adopt", "unit")
	}
	if at.faulty() || len(hosts) == 0 {
		return // of a search it is known when it has found something
	}
	switch url := c.Hosts[hosts[0]].URL; {
	case len(hosts) > 1:
		at.hint("hosts: "+hosts[0], "the container of a unit is on one host: on which?")
	case url != "" && !strings.HasPrefix(url, "unix://"):
		at.fail("a unit is run by the systemd of this machine, and hosts.%s is at %s", hosts[0], url)
	}
}
