package conf

import "net/netip"

// NoWake is a kind of request that neither starts an app nor keeps it awake: those of uptime monitors, bots, browsers that
// want an icon (case B074). All that it has must hold.
type NoWake struct {
	UserAgent string         `conf:"user_agent"` // a part of the request's, in any case; empty: any
	Path      string         `conf:"path"`       // and what is under it; empty: any
	Methods   []string       `conf:"method,one"` // empty: any
	From      []netip.Prefix `conf:"from,one"`   // told by trusted proxies where there are some; empty: anywhere
	Status    int            `conf:"status"`     // of the answer while no replica is ready; 0: 503
}

func (n *NoWake) check(v value) {
	if n.UserAgent == "" && n.Path == "" && len(n.Methods) == 0 && len(n.From) == 0 && !v.faulty() {
		v.hint("{user_agent: Uptime-Kuma}", "every request is one of these: then nothing would start the app")
	}
	if n.Path != "" && n.Path[0] != '/' {
		v.get("path").hint("/"+n.Path, "a path begins with a slash")
	}
	v.tokens("method", n.Methods)
	if at := v.get("status"); n.Status != 0 && (n.Status < 200 || n.Status > 599) && !at.faulty() {
		at.hint("503, or 200 for a monitor that is to see nothing", "expected a status from 200 to 599, got %d", n.Status)
	}
}
