package l4

import (
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// table finds the route of a connection. It never changes; a new configuration makes a new one.
type table struct {
	config  *conf.Config // that it was made of; nil: none yet
	ports   map[socketKey]*port
	apps    map[string]*app
	proxied map[string]bool // addresses where trusted proxies send PROXY headers
	trusted proxies
}

// socketKey is a listener as it is configured.
type socketKey struct{ proto, address string }

func (k socketKey) String() string { return k.proto + " " + k.address }

// route is where a listener leads.
type route struct {
	app       *app
	port      int  // in the container
	responses int  // to one datagram of a client; negative: not known
	proxy     byte // version of the PROXY header that the app gets; 0: none
}

// app is what a connection needs to know of an app.
type app struct {
	name     string
	holdMax  time.Duration
	crowd    int // UDP sessions of one source that may be held at once; 0: no limit
	bySource bool
	tcpIdle  time.Duration // 0: never
	udpIdle  time.Duration
	most     int64         // connections; 0: no limit
	open     *atomic.Int64 // the same counter over reloads
	wakeOn   conf.WakeOn
	limit    conf.WakeLimit
}

// unknown is route.responses of a route that does not say.
const unknown = -1

func newTable() *table {
	return &table{ports: map[socketKey]*port{}, apps: map[string]*app{}, proxied: map[string]bool{}}
}

// tableOf makes the table of a configuration. What counts goes on counting.
func tableOf(c *conf.Config, before *table) *table {
	t := newTable()
	t.config, t.trusted = c, c.TrustedProxies
	for _, address := range c.Listen.ProxyProtocol {
		t.proxied[address] = true
	}
	for name, configured := range c.Apps {
		a := appOf(name, configured)
		if old := before.apps[name]; old != nil {
			a.open = old.open
		}
		for _, r := range configured.Routes {
			t.add(r, a)
		}
	}
	return t
}

func appOf(name string, a *conf.App) *app {
	return &app{
		name: name, holdMax: a.Hold.Max, crowd: (a.Hold.Queue + crowdShare - 1) / crowdShare, bySource: a.BySource,
		tcpIdle: a.TCPIdle, udpIdle: a.UDPIdle, most: int64(a.MaxConnections), open: &atomic.Int64{},
		wakeOn: a.WakeOn, limit: a.WakeLimit,
	}
}

func (t *table) add(r conf.Route, to *app) {
	if r.IsHTTP() {
		return
	}
	proto := "tcp"
	if r.UDP != "" {
		proto = "udp"
	}
	responses := unknown
	if r.Responses != nil {
		responses = *r.Responses
	}
	t.apps[to.name] = to
	for _, way := range r.Ways() {
		made := &route{app: to, port: way.Port, responses: responses, proxy: versions[r.ProxyProtocol]}
		t.port(socketKey{proto, way.Address}).add(r.SNI, made)
	}
}

var versions = map[string]byte{"v1": 1, "v2": 2}

func (t *table) port(key socketKey) *port {
	p := t.ports[key]
	if p == nil {
		p = &port{names: map[string]*route{}}
		t.ports[key] = p
	}
	return p
}

func (p *port) add(name string, r *route) {
	if name == "" {
		p.plain = r
		return
	}
	p.names[name] = r
}

// enter takes one of the app's connections; leave gives it back.
func (a *app) enter() bool {
	if n := a.open.Add(1); a.most > 0 && n > a.most {
		a.open.Add(-1)
		return false
	}
	return true
}

func (a *app) leave() { a.open.Add(-1) }
