package conf

import "time"

// warnAbout notes what is valid and yet likely not meant.
func warnAbout(c *Config, root value) {
	if len(c.Apps) == 0 {
		root.get("apps").warn("", "there are no apps")
	}
	longest := time.Duration(0)
	for _, name := range sortedKeys(c.Apps) {
		c.Apps[name].warnAbout(root.get("apps", name))
		longest = max(longest, c.Apps[name].Hold.Max)
	}
	// Those who were let in to wait should get their answer (sablierapp/sablier#1020).
	if c.Shutdown.Grace < longest {
		root.get("shutdown", "grace").warn("", "%s is shorter than the longest hold.max, %s: a shutdown cuts who waits",
			c.Shutdown.Grace, longest)
	}
}

func (a *App) warnAbout(v value) {
	if len(a.Routes) == 0 {
		v.warn("", "no route: only `fairlead wake` starts it")
	}
	if v.get("health").given() && a.Health.HTTP == "" { // as defaults of others it makes sense
		v.get("health").warn("health: {http: /healthz}", "without http nothing is checked")
	}
	a.warnAboutWake(v.get("wake_on"))
	// The idle clock runs from readiness, so this works; but who writes it thinks of something else (sablierapp/sablier#443).
	if a.Idle != Never && a.Idle < a.Ready.Timeout {
		v.get("idle").warn("", "%s is shorter than ready.timeout, %s", a.Idle, a.Ready.Timeout)
	}
	if a.Hold.Max < a.Ready.Timeout {
		v.get("hold", "max").warn("", "%s is shorter than ready.timeout, %s: a slow start answers 503 first",
			a.Hold.Max, a.Ready.Timeout)
	}
	if a.WritableVolume() && a.Replicas.Max > 1 {
		v.get("replicas", "max").warn("", "%d replicas write to the same volume", a.Replicas.Max)
	}
}

// warnAboutWake tells of rules that keep nobody out.
func (a *App) warnAboutWake(v value) {
	tcp, udp := len(a.ways("tcp")) > 0, len(a.ways("udp")) > 0
	switch {
	case a.limitsWakes() && !tcp && !udp:
		v.warn("", "it is for TCP and UDP routes: over HTTP every request starts the app but what no_wake names")
	case a.WakeOn.Packets > 0 && !udp:
		v.warn("", "packets are counted over UDP, and there is no UDP route")
	case (a.WakeOn.TLS || a.WakeOn.Bytes) && !tcp:
		v.warn("", "tls and bytes are of TCP connections, and there is no TCP route")
	}
}
