package conf

import "strings"

func checkApp(c *Config, app *App, root value) {
	v := root.get("apps", app.Name)
	checkName(v, app.Name)
	if v.get("use").given() && !root.get("templates").has(app.Use) {
		v.get("use").hint(oneOfKeys(root.get("templates")), "there is no template %s", v.get("use").shown())
	}
	app.checkSource(v)
	app.checkPorts(v)
	app.checkReplicas(v)
	app.checkReady(v.get("ready"))
	app.checkHealth(v.get("health"))
	app.checkTimes(v)
	app.checkL4(v)
	app.Headers.check(v.get("headers"))
	app.CORS.check(v.get("cors"))
	for i := range app.NoWake {
		app.NoWake[i].check(v.get("no_wake").item(i))
	}
	app.checkLimits(v)
	app.checkHTTPS(c, v)
	app.checkTLS(v)
	app.checkContainer(v)
	for _, name := range app.Hosts {
		if _, ok := c.Hosts[name]; !ok {
			v.get("hosts").hint(oneOfKeys(root.get("hosts")), "there is no host %q", name)
		}
	}
}

func (v value) has(key string) bool {
	m, _ := v.raw.(map[string]any)
	_, ok := m[key]
	return ok
}

func oneOfKeys(v value) string {
	m, _ := v.raw.(map[string]any)
	if len(m) == 0 {
		return v.key() + " is empty"
	}
	return "there are: " + strings.Join(sortedKeys(m), ", ")
}

func (a *App) checkPorts(v value) {
	if v.get("upstream").given() {
		return // which has its own
	}
	if a.Port == 0 && !v.get("port").given() {
		if len(a.Routes) > 0 && !a.onlyL4() {
			v.missing("port", "where the app listens inside of its container")
		}
	} else if a.Port < 1 || a.Port > 65535 {
		v.get("port").refuse("a port is 1 to 65535")
	}
	if a.Ready.Port < 0 || a.Ready.Port > 65535 {
		v.get("ready", "port").refuse("a port is 1 to 65535")
	}
}

// refuse notes a fault unless there is one already.
func (v value) refuse(format string, args ...any) {
	if !v.faulty() {
		v.fail(format, args...)
	}
}

// A max of 0 would be an app that nothing can ever start (StrategicProjects/ruscker v0.1.73).
func (a *App) checkReplicas(v value) {
	least, most := v.get("replicas", "min"), v.get("replicas", "max")
	notNegative(least, a.Replicas.Min)
	switch {
	case a.Replicas.Max < 1:
		most.refuse("must be at least 1")
	case a.Replicas.Min > a.Replicas.Max && !most.given():
		least.hint("give replicas.max too", "%d is above max, which is %d with a writable volume", a.Replicas.Min, a.Replicas.Max)
	case a.Replicas.Min > a.Replicas.Max:
		least.refuse("%d is above max, %d", a.Replicas.Min, a.Replicas.Max)
	}
	notNegative(v.get("seats"), a.Seats)
	if v.get("sticky").given() && a.Sticky && len(a.Routes) == 0 && !v.get("route").given() && !v.strays() {
		v.get("sticky").fail("a session needs a route")
	}
}

func (v value) strays() bool { return v.in.strayed[joined(v.path)] }

func (a *App) checkReady(v value) {
	ways := 0
	for _, way := range []bool{a.Ready.HTTP != "", a.Ready.TCP, a.Ready.Health, a.Ready.UDP} {
		if way {
			ways++
		}
	}
	switch {
	case v.faulty():
	case ways > 1:
		v.fail("one of http, tcp, udp and health")
	case (a.Ready.Send != "" || a.Ready.Expect != "") && !a.Ready.TCP && !a.Ready.UDP:
		v.fail("send and expect are for tcp and udp")
	case a.Ready.UDP && a.Ready.Port == 0:
		v.missing("port", "the UDP port that is asked")
	}
	isPath(v.get("http"), a.Ready.HTTP)
	positive(v.get("timeout"), a.Ready.Timeout)
}

func (a *App) checkTimes(v value) {
	if a.Idle != Never {
		positive(v.get("idle"), a.Idle)
	}
	positive(v.get("session_idle"), a.SessionIdle)
	positive(v.get("restart_grace"), a.RestartGrace)
	positive(v.get("hold", "max"), a.Hold.Max)
	positive(v.get("hold", "queue"), a.Hold.Queue)
	if a.Hold.Page > a.Hold.Max {
		v.get("hold", "page").refuse("%s is longer than hold.max, %s", a.Hold.Page, a.Hold.Max)
	}
}
