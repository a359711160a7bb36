package conf

import (
	"slices"
	"strings"

	images "github.com/distribution/reference"
)

// made are the keys that say how a container is made.
var made = []string{"pull", "command", "entrypoint", "env", "env_file", "volumes", "networks", "user", "userns", "memory",
	"cpus", "devices", "shm_size", "cap_add", "cap_drop", "security_opt", "tmpfs", "ulimits", "labels", "pids_limit",
	"no_new_privileges", "stop_signal"}

// checkSource checks where the app's containers come from.
func (a *App) checkSource(v value) {
	switch {
	case v.get("upstream").given():
		a.checkUpstream(v)
	case a.Adopt.Given() && a.Image != "":
		v.get("adopt").hint("image: null, if it comes from defaults", "an app has an image or adopts a container, not both")
	case v.get("adopt").given():
		a.checkAdopt(v.get("adopt"), v)
	case a.Image == "":
		v.missing("image", "image: REGISTRY/NAME:TAG")
	case strings.ContainsAny(a.Image, " \t\n"):
		v.get("image").fail("an image's name has no spaces")
	default:
		if _, err := images.ParseAnyReference(a.Image); err != nil {
			v.get("image").hint("REGISTRY/NAME:TAG", "%s is no image: %v", v.get("image").shown(), err)
		}
	}
}

func (a *App) checkAdopt(adopt, v value) {
	key, _, _ := strings.Cut(a.Adopt.Label, "=")
	switch {
	case adopt.faulty() || adopt.strays():
	case !a.Adopt.one():
		adopt.hint("{name: web}, {label: com.example.app=web} or {unit: web.service}", "one of name, label and unit")
	case a.Adopt.Name != "" && !volumeName.MatchString(a.Adopt.Name):
		adopt.get("name").fail("%s is no container's name", adopt.get("name").shown())
	case a.Adopt.Label != "" && (key == "" || strings.ContainsAny(key, " \t")):
		adopt.get("label").fail("expected KEY or KEY=VALUE, got %s", adopt.get("label").shown())
	}
	if a.Adopt.Name != "" && a.Replicas.Max > 1 {
		v.get("replicas", "max").refuse("there is one container of a name")
	}
	if a.Adopt.Unit != "" {
		a.checkUnit(adopt.get("unit"), v)
	}
	if a.Sleep == "remove" && a.Adopt.Unit == "" {
		v.get("sleep").hint("stop or pause", "a container that others made is never removed")
	}
	for _, key := range made {
		if v.get(key).given() {
			v.get(key).warn("", "does nothing: the container of this app is made by others")
		}
	}
}

// checkAdoptions: which app gets a container that two name would be chance.
func checkAdoptions(c *Config, root value) {
	taken := map[Adopt]string{}
	for _, name := range sortedKeys(c.Apps) {
		app := c.Apps[name]
		if !app.Adopt.Given() {
			continue
		}
		if app.Adopt.Unit != "" {
			c.checkUnitHost(app, root.get("apps", name))
		}
		same := app.Adopt.plain()
		if other, twice := taken[same]; twice && c.shareHost(app, c.Apps[other]) {
			root.get("apps", name, "adopt").fail("apps.%s adopts the same", other)
		}
		taken[same] = name
	}
}

func (c *Config) shareHost(a, b *App) bool {
	return len(a.Hosts) == 0 || len(b.Hosts) == 0 ||
		slices.ContainsFunc(a.Hosts, func(host string) bool { return slices.Contains(b.Hosts, host) })
}
