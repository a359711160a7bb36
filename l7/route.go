package l7

import (
	"strings"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// table finds the route of a request. It never changes; a new configuration makes a new one.
type table struct {
	hosts     map[string]*paths
	under     map[string]*paths // of "*.example.org" by "example.org"
	any       *paths            // of routes without a host
	apps      map[string]*app
	trusted   proxies
	public    conf.Public
	httpsPort int // that the outside sees; 0: none
}

// route is one way to find an app.
type route struct {
	host     string // as bare makes it; "*.example.org": each right under it; empty: any
	path     string // normal, without a slash at its end; empty: all
	scope    string // the path as browsers write it: of cookies and prefixes
	strip    bool
	clientCA string // file of the authorities that clients must have a certificate of; empty: none
	app      *app
}

// app is what the story needs to know of an app.
type app struct {
	name     string
	port     int
	host     string // that it gets; empty: the visitor's
	h2c      bool   // it speaks HTTP/2
	sticky   bool
	holdPage time.Duration
	holdMax  time.Duration
	retry    retry
	limits   limits
	noWake   []noWake
	https    string        // redirect, allow, or empty: redirect if the host has a certificate
	hsts     time.Duration // 0: nothing is said

	toApp, toVisitor *edits // of headers; nil: none
	cors             *cors  // nil: the app's own affair
	compress         bool
	requestID        bool

	stickyName, ticketName string // of cookies
	series                 series
}

// paths are the routes of one host by their path.
type paths struct {
	by      map[string]*route
	longest int // path among them
}

func newTable(trusted proxies) *table {
	return &table{hosts: map[string]*paths{}, under: map[string]*paths{}, any: newPaths(), apps: map[string]*app{}, trusted: trusted}
}

func newPaths() *paths { return &paths{by: map[string]*route{}} }

// add puts a route in. No two are the same: the configuration was checked.
func (t *table) add(r *route) {
	p := t.pathsOf(r.host)
	p.by[r.path] = r
	p.longest = max(p.longest, len(r.path))
	t.apps[r.app.name] = r.app
}

func (t *table) pathsOf(host string) *paths {
	if host == "" {
		return t.any
	}
	hosts := t.hosts
	if parent, star := strings.CutPrefix(host, "*."); star {
		hosts, host = t.under, parent
	}
	if hosts[host] == nil {
		hosts[host] = newPaths()
	}
	return hosts[host]
}

// find returns the route for a host as the request names it and a normal path: a route with the host before one with a
// star for it, that before one without, and the longest path by whole segments. It allocates nothing for a host in lower
// case.
func (t *table) find(host, path string) *route {
	host = bare(host)
	if r := t.hosts[host].find(path); r != nil {
		return r
	}
	if len(t.under) > 0 {
		label, parent, _ := strings.Cut(host, ".")
		if r := t.under[parent].find(path); r != nil && label != "" {
			return r
		}
	}
	return t.any.find(path)
}

func (p *paths) find(path string) *route {
	if p == nil {
		return nil
	}
	if len(path) > p.longest && path[p.longest] != '/' {
		path = path[:max(0, strings.LastIndexByte(path[:p.longest+1], '/'))]
	}
	path = path[:min(len(path), p.longest)]
	for path != "" {
		if r := p.by[path]; r != nil {
			return r
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return p.by[""]
}

// bare takes the port, the brackets and the root's dot off a host and lowers its case.
func bare(host string) string {
	if strings.HasPrefix(host, "[") {
		inner, _, _ := strings.Cut(host[1:], "]")
		return strings.ToLower(inner)
	}
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 {
		host = host[:colon]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
