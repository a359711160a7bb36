package conf

import (
	"net/netip"
	"time"
)

// Config is a valid configuration with every default filled in. Treat it as read-only: a reload makes another one.
type Config struct {
	Version        int             `conf:"version"`
	Listen         Listen          `conf:"listen"`
	TLS            TLS             `conf:"tls"`
	Admin          Admin           `conf:"admin"`
	Instance       string          `conf:"instance"`
	State          string          `conf:"state"` // an absolute directory
	Shutdown       Shutdown        `conf:"shutdown"`
	TrustedProxies []netip.Prefix  `conf:"trusted_proxies,one"`
	Log            Log             `conf:"log"`
	Tracing        Tracing         `conf:"tracing"`
	Reconcile      time.Duration   `conf:"reconcile"`
	Hosts          map[string]Host `conf:"hosts"` // empty: search for an engine
	Apps           map[string]*App `conf:"-"`     // decoded after defaults and templates went under each

	warnings []Problem
}

// Warnings is what is valid and yet likely not meant.
func (c *Config) Warnings() []Problem { return c.warnings }

// Listen is where Fairlead accepts.
type Listen struct {
	HTTP   []string `conf:"http,one"`  // HTTP/1.1 and HTTP/2 without TLS
	HTTPS  []string `conf:"https,one"` // HTTP over TLS
	Public Public   `conf:"public"`
	Admin  string   `conf:"admin"` // a loopback address or unix:///path; empty: no admin API
	// ProxyProtocol are the HTTP and TCP listeners where trusted proxies say in a PROXY header for whom they speak.
	ProxyProtocol []string `conf:"proxy_protocol,one"`
	Metrics       string   `conf:"metrics"` // a listener of its own for /metrics and /healthz; empty: on Admin only
}

// Admin is the admin API.
type Admin struct {
	Token Secret `conf:"token"` // empty: made in State, where the command line finds it
}

// Shutdown is what a SIGTERM does.
type Shutdown struct {
	Grace      time.Duration `conf:"grace"`
	Containers string        `conf:"containers" oneof:"keep stop remove"`
}

// Log is Fairlead's own log.
type Log struct {
	Level  string `conf:"level" oneof:"debug info warn error"`
	Format string `conf:"format" oneof:"text json"`
	Access Access `conf:"access"`
}
