package conf

import (
	"net/url"
	"strconv"
	"strings"
)

// UpstreamAddress is where an app with an upstream is: a host, which may be a name, and a port.
func (a *App) UpstreamAddress() (host string, port int) {
	u, err := url.Parse(a.Upstream)
	switch {
	case err != nil:
		return "", 0
	case u.Port() == "" && u.Scheme == "https":
		return u.Hostname(), 443
	case u.Port() == "":
		return u.Hostname(), 80
	}
	port, _ = strconv.Atoi(u.Port()) // which was checked
	return u.Hostname(), port
}

// secureUpstream says whether the upstream's URL asks for TLS.
func (a *App) secureUpstream() bool { return strings.HasPrefix(a.Upstream, "https:") }

// needsContainer are the keys that an app at a fixed address cannot have.
var needsContainer = []string{"adopt", "hosts", "port", "sleep", "stop_grace", "update", "idle", "restart_grace"}

func (a *App) checkUpstream(v value) {
	at := v.get("upstream")
	u, err := url.Parse(a.Upstream)
	switch {
	case at.faulty():
		return
	case err != nil || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port(), 1):
		at.hint("http://10.0.0.7:8080", "expected http://HOST:PORT, got %s", at.shown())
		return
	case u.Scheme != "http" && u.Scheme != "https":
		at.hint("http://10.0.0.7:8080", "expected http://HOST:PORT, got %s", at.shown())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/":
		at.hint(u.Scheme+"://"+u.Host, "an address and nothing else; requests keep their own path")
	}
	if (a.Protocol == "https") != (u.Scheme == "https") {
		v.get("protocol").refuse("is %s, and the upstream's URL says %s", a.Protocol, u.Scheme)
	}
	if a.Image != "" {
		at.hint("image: null, if it comes from defaults", "an app has an image or an upstream, not both")
	}
	if a.hasL4() {
		v.get("route").fail("an upstream is reached over HTTP")
	}
	if a.Ready.Health {
		v.get("ready", "health").fail("no engine knows of an upstream")
	}
	for _, key := range append(needsContainer, made...) {
		if v.get(key).given() {
			v.get(key).warn("", "does nothing: this app has no container")
		}
	}
}
