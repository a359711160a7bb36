package conf

import (
	"slices"
	"strings"
)

// listeners is who has which address, to tell of two that want the same: "tcp :443" → "listen.http".
type listeners map[string]string

// listenersOf are those of Fairlead itself; routes join as they are checked.
func listenersOf(c *Config) listeners {
	taken := listeners{}
	for _, address := range c.Listen.HTTP {
		taken["tcp "+address] = "listen.http"
	}
	for _, address := range c.Listen.HTTPS {
		taken["tcp "+address] = "listen.https"
	}
	taken["tcp "+c.Listen.Admin] = "listen.admin"
	taken["tcp "+c.Listen.Metrics] = "listen.metrics"
	return taken
}

// l4Route checks a TCP or UDP route.
func (v value) l4Route(app *App, r *Route, taken listeners) {
	if v.faulty() || v.strays() {
		return
	}
	for _, key := range []string{"host", "path", "strip", "client_ca"} {
		if v.get(key).given() {
			v.get(key).hint("two routes, one in each item of a list", "a route is HTTP, TCP or UDP")
		}
	}
	if r.TCP != "" && r.UDP != "" {
		v.get("udp").hint("two routes, one in each item of a list", "a route is HTTP, TCP or UDP")
		return
	}
	proto, address := "tcp", r.TCP
	if r.UDP != "" {
		proto, address = "udp", r.UDP
	}
	_, first, last, err := splitRange(address)
	if err != nil {
		v.get(proto).hint(":5432 for every address, or 127.0.0.1:5432", "%v, got %s", err, v.get(proto).shown())
		return
	}
	v.l4Port(app, r, last-first)
	v.checkResponses(r)
	v.checkSNI(r)
	if r.ProxyProtocol != "" && r.TCP == "" {
		v.get("proxy_protocol").refuse("belongs to a TCP route")
	}
	for _, way := range r.Ways() {
		v.get(proto).claim(proto+" "+way.Address, r.SNI, app.Name, taken)
	}
}

func (v value) checkSNI(r *Route) {
	if r.SNI == "" {
		return
	}
	r.SNI = strings.ToLower(strings.TrimSuffix(r.SNI, "."))
	switch at := v.get("sni"); {
	case r.TCP == "":
		at.refuse("belongs to a TCP route")
	case !hostname.MatchString(strings.TrimPrefix(r.SNI, "*.")):
		at.hint("db.example.org, or *.example.org for what is under it", "expected a host's name, got %s", at.shown())
	}
}

// checkProxied checks that each listener of listen.proxy_protocol is one.
func checkProxied(c *Config, root value, taken listeners) {
	known := map[string]bool{}
	for listener, who := range taken {
		proto, address, _ := strings.Cut(listener, " ")
		address, _, _ = strings.Cut(address, " ") // without the server name
		if proto == "tcp" && who != "listen.admin" && who != "listen.metrics" {
			known[address] = true
		}
	}
	v := root.get("listen", "proxy_protocol")
	for i, address := range c.Listen.ProxyProtocol {
		at := v.item(i)
		if !known[address] && !at.faulty() {
			at.hint("as it is written there", "no HTTP listener and no TCP route has the address %s", at.shown())
		}
	}
	if len(c.Listen.ProxyProtocol) > 0 && len(c.TrustedProxies) == 0 && !root.get("trusted_proxies").faulty() {
		v.hint("trusted_proxies: [192.0.2.10]", "nobody is trusted to send a PROXY header")
	}
}

// l4Port fills in where the route leads.
func (v value) l4Port(app *App, r *Route, more int) {
	if v.get("port").given() && (r.Port < 1 || r.Port+more > 65535) {
		v.get("port").refuse("a port is 1 to 65535")
	}
	if r.Port == 0 && more == 0 {
		if r.Port = app.Port; app.Port == 0 {
			v.missing("port", "where the app listens inside of its container")
		}
	}
}

func (v value) checkResponses(r *Route) {
	switch {
	case r.Responses == nil:
	case r.UDP == "":
		v.get("responses").refuse("belongs to a UDP route")
	case *r.Responses < 0:
		v.get("responses").refuse("cannot be negative")
	}
}

// claim takes an address, or one server name at it: routes with different names share an address, and HTTPS has what no
// name takes.
func (v value) claim(listener, name, app string, taken listeners) {
	who, exact := "apps."+app, strings.TrimSpace(listener+" "+name)
	other, twice := taken[exact]
	shares := taken[listener] == "listen.https" && name != ""
	if own := taken[listener]; strings.HasPrefix(own, "listen.") && !isEphemeral(listener) && !shares {
		other, twice = own, true
	}
	switch {
	case !twice, isEphemeral(listener) && strings.HasPrefix(other, "listen."):
		taken[exact] = who
	case other == who:
		v.fail("the app has the same route already")
	default:
		v.fail("%s has this address already", other)
	}
}

// isEphemeral addresses end in :0: each gets another port.
func isEphemeral(listener string) bool {
	return len(listener) > 2 && listener[len(listener)-2:] == ":0"
}

// hasL4 says whether any route is TCP or UDP.
func (a *App) hasL4() bool { return len(a.ways("tcp"))+len(a.ways("udp")) > 0 }

func (a *App) ways(proto string) (ways []Way) {
	for _, r := range a.Routes {
		if proto == "tcp" && r.TCP != "" || proto == "udp" && r.UDP != "" {
			ways = append(ways, r.Ways()...)
		}
	}
	return ways
}

// Ports are where the app's TCP or UDP routes lead, in the container, each once.
func (a *App) Ports(proto string) (ports []int) {
	seen := map[int]bool{}
	for _, way := range a.ways(proto) {
		if way.Port != 0 && !seen[way.Port] {
			seen[way.Port] = true
			ports = append(ports, way.Port)
		}
	}
	return ports
}

// mainPort is the app's port where only routes say one: that of the first TCP route.
func (a *App) mainPort() int {
	if ports := a.Ports("tcp"); len(ports) > 0 {
		return ports[0]
	}
	return 0
}

func (a *App) checkL4(v value) {
	a.checkWake(v)
	notNegative(v.get("max_connections"), a.MaxConnections)
	positive(v.get("tcp_idle"), a.TCPIdle)
	positive(v.get("udp_idle"), a.UDPIdle)
	if a.BySource && !a.hasL4() && !v.strays() && !v.get("route").faulty() {
		v.get("sticky").fail("source needs a TCP or UDP route")
	}
	if a.onlyUDP() && a.Port == 0 && a.Ready.Port == 0 && !a.Ready.Health && !v.get("ready").faulty() && !v.strays() {
		v.get("ready").hint("{udp: true}, with send and expect where it answers; {port: 8080} for a TCP port of it; or {health: true}",
			"nothing tells when a UDP app is ready")
	}
}

// onlyL4 apps say in each route where it leads; what lacks is told there.
func (a *App) onlyL4() bool {
	return !slices.ContainsFunc(a.Routes, Route.IsHTTP)
}

// onlyUDP apps have no TCP port that anybody told us of.
func (a *App) onlyUDP() bool { return len(a.ways("udp")) > 0 && a.mainPort() == 0 }
