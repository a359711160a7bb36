package conf

import (
	"net/netip"
	"regexp"
	"strings"
)

// checkRoutes checks each route and that no two are the same: which app gets the visitor would be chance.
func checkRoutes(c *Config, root value) {
	taken := map[Route]string{}
	listeners := listenersOf(c)
	defer checkProxied(c, root, listeners)
	for _, name := range sortedKeys(c.Apps) {
		app, v := c.Apps[name], root.get("apps", name, "route")
		for i := range app.Routes {
			at, route := v.item(i), &app.Routes[i]
			if !route.IsHTTP() {
				at.l4Route(app, route, listeners)
				continue
			}
			if !at.route(route, c.TLS.stars()) {
				continue
			}
			same := Route{Host: route.Host, Path: route.Path}
			if other, twice := taken[same]; twice {
				at.fail("apps.%s has the same route already", other)
			}
			taken[same] = name
		}
	}
}

// route checks one and makes it canonical; it reports whether it is whole. The host may begin with a star if stars do.
func (v value) route(r *Route, stars bool) bool {
	if v.faulty() || v.strays() {
		return false
	}
	if r.Host == "" && r.Path == "" {
		v.hint("path: / takes everything", "host or path is missing")
		return false
	}
	for _, key := range []string{"port", "responses", "sni", "proxy_protocol"} {
		hint := ""
		if key == "port" {
			hint = "the app's own port is beside route"
		}
		if v.get(key).given() {
			v.get(key).hint(hint, "belongs to a TCP or UDP route")
		}
	}
	r.Host = strings.ToLower(strings.TrimSuffix(r.Host, "."))
	v.checkHost(r.Host, stars)
	r.Path = strings.TrimRight(r.Path, "/")
	v.checkPath(r.Path)
	v.checkClientCA(r)
	if r.Path == "" {
		r.Path = "/"
		if r.Strip {
			v.get("strip").fail("there is no path to strip")
		}
	}
	return !v.faulty()
}

var hostname = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*$`)

func (v value) checkHost(host string, stars bool) {
	at := v.get("host")
	parent, star := strings.CutPrefix(host, "*.")
	_, notAddress := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case host == "", hostname.MatchString(host), notAddress == nil, stars && star && hostname.MatchString(parent):
	case stars && strings.Contains(host, "*"):
		at.hint("*.example.org", "a * stands for the first part of a host's name, got %s", at.shown())
	case strings.Contains(host, "*"):
		at.hint("tls.acme.dns gets a certificate for it, or write each name", "over HTTP an authority gives no certificate for a host with *")
	case strings.Contains(host, "/"):
		at.hint("host: and path: are two keys", "expected a host's name, got %s", at.shown())
	case strings.Contains(host, ":"):
		at.hint("without the port: see listen", "expected a host's name, got %s", at.shown())
	case strings.ContainsFunc(host, func(r rune) bool { return r > 127 }):
		at.hint("in its xn-- form", "expected a host's name in ASCII, got %s", at.shown())
	default:
		at.fail("expected a host's name, got %s", at.shown())
	}
}

func (v value) checkPath(path string) {
	at := v.get("path")
	switch {
	case path == "":
	case !strings.HasPrefix(path, "/"):
		at.hint("/"+path, "a path begins with /")
	case strings.ContainsAny(path, "*{}"):
		at.hint("a path covers what is under it", "a path has no patterns, got %s", at.shown())
	case strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 127 || r == '?' || r == '#' || r == '\\' }):
		at.fail("a path has no spaces, no ? and no #, got %s", at.shown())
	case strings.Contains(path, "//"), strings.Contains(path+"/", "/./"), strings.Contains(path+"/", "/../"):
		at.fail("a path has no empty and no dotted segments, got %s", at.shown())
	}
}
