package conf

import (
	"path/filepath"
	"strings"
	"time"
)

func defaultConfig(environ map[string]string, uid int) *Config {
	return &Config{
		Version:   1,
		Listen:    Listen{HTTP: []string{":8080"}, Admin: "127.0.0.1:9900"},
		Instance:  "main",
		State:     defaultState(environ, uid),
		Shutdown:  Shutdown{Grace: time.Minute, Containers: "keep"},
		Log:       Log{Level: "info", Format: "text", Access: Access{Path: "stdout", Format: "json"}},
		Tracing:   Tracing{Service: "fairlead", Sample: 1},
		Reconcile: 10 * time.Second,
	}
}

// defaultState is systemd's directory for us, or root's, or the user's.
func defaultState(environ map[string]string, uid int) string {
	// systemd joins several with colons.
	if dir, _, _ := strings.Cut(environ["STATE_DIRECTORY"], ":"); dir != "" {
		return dir
	}
	if uid == 0 {
		return "/var/lib/fairlead"
	}
	if dir := environ["XDG_STATE_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "fairlead")
	}
	return filepath.Join(environ["HOME"], ".local", "state", "fairlead")
}

// HostAt is a host of which nothing is said but where it is.
func HostAt(url string) Host {
	return Host{URL: url, Reach: "auto", Events: true, Timeout: 5 * time.Second, Weight: 1}
}

// defaultApp leaves out what depends on other keys: see settle.
func defaultApp() App {
	return App{
		Pull:         "missing",
		Container:    Container{PidsLimit: 2048, NoNewPrivileges: true},
		SessionIdle:  30 * time.Minute,
		Ready:        Ready{Timeout: time.Minute},
		Health:       defaultHealth(),
		Idle:         10 * time.Minute,
		StopGrace:    30 * time.Second,
		Update:       Update{When: "manual"},
		Hold:         Hold{Page: time.Second, Queue: 1000},
		RestartGrace: 30 * time.Second,
		Retry:        "safe",
		Protocol:     "http",
		TLS:          AppTLS{Verify: true},
		RateLimit:    RateLimit{Within: time.Second},
		UDPIdle:      time.Minute,
		WakeLimit:    WakeLimit{Within: 10 * time.Minute},
	}
}

// settle fills in the defaults that depend on other keys.
func (a *App) settle(v value) {
	shared := a.WritableVolume()
	word, _ := v.get("sticky").raw.(scalar)
	a.BySource = word.Text == "source"
	alone := shared || a.hasL4() || a.Adopt.Name != "" || a.Adopt.Unit != "" || a.Upstream != "" // what sits behind a port of its own seldom shares its work with a second one
	if a.Upstream != "" {
		_, a.Port = a.UpstreamAddress()
		a.Protocol = pick(v.get("protocol"), a.Protocol, a.secureUpstream(), "https", "http")
	}
	if a.Port == 0 && !v.get("port").given() {
		a.Port = a.mainPort()
	}
	a.Replicas.Max = pick(v.get("replicas", "max"), a.Replicas.Max, alone, 1, max(4, a.Replicas.Min))
	a.Update.Order = pick(v.get("update", "order"), a.Update.Order, shared, "stop-first", "start-first")
	a.Drain = pick(v.get("drain"), a.Drain, a.Sticky || a.BySource, 8*time.Hour, 30*time.Second)
	// A request that came first must outlast the boot that it caused (knative/serving#13208).
	a.Hold.Max = pick(v.get("hold", "max"), a.Hold.Max, true, max(time.Minute, a.Ready.Timeout), 0)
	says := a.hasL4() || a.Ready.Send != "" || a.Ready.Expect != ""
	a.Ready.TCP = pick(v.get("ready", "tcp"), a.Ready.TCP, a.Ready.HTTP == "" && !a.Ready.Health && !a.Ready.UDP && says, true, false)
	if ports := a.Ports("udp"); a.Ready.UDP && a.Ready.Port == 0 && len(ports) > 0 {
		a.Ready.Port = ports[0]
	}
}

func pick[T any](v value, given T, condition bool, yes, no T) T {
	switch {
	case v.given():
		return given
	case condition:
		return yes
	}
	return no
}
