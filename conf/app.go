package conf

import "time"

// Never is App.Idle of an app that does not scale down.
const Never time.Duration = -1

// App is one app with its defaults and its template merged in.
type App struct {
	Name  string `conf:"-"`
	Use   string `conf:"use"`
	Image string `conf:"image"`
	Adopt Adopt  `conf:"adopt"`
	// Upstream is http://HOST:PORT, or https://, of an app that is there without an engine.
	Upstream string   `conf:"upstream"`
	Pull     string   `conf:"pull" oneof:"never missing newer always"`
	Port     int      `conf:"port"`
	Routes   []Route  `conf:"route,one"`
	Hosts    []string `conf:"hosts,one"` // where it may run; empty: everywhere
	Container
	Replicas     Replicas      `conf:"replicas"`
	Seats        int           `conf:"seats"` // of one replica; 0: no limit
	Sticky       bool          `conf:"sticky,orsource"`
	SessionIdle  time.Duration `conf:"session_idle"`
	Ready        Ready         `conf:"ready"`
	Health       Health        `conf:"health"`
	Idle         time.Duration `conf:"idle,never"` // Never: does not scale down
	Drain        time.Duration `conf:"drain"`
	StopGrace    time.Duration `conf:"stop_grace"`
	Sleep        string        `conf:"sleep" oneof:"remove stop pause"` // empty: stop if the image's VOLUME is not covered, else remove
	Update       Update        `conf:"update"`
	Hold         Hold          `conf:"hold"`
	RestartGrace time.Duration `conf:"restart_grace"`
	Retry        string        `conf:"retry" oneof:"safe unsent never"`
	Protocol     string        `conf:"protocol" oneof:"http h2c https"`
	TLS          AppTLS        `conf:"tls"`

	Headers     Headers       `conf:"headers"`
	MaxBody     Bytes         `conf:"max_body"`     // of a request; 0: no limit
	MaxRequests int           `conf:"max_requests"` // at once, upgrades and those that wait included; 0: no limit
	RateLimit   RateLimit     `conf:"rate_limit"`
	NoWake      []NoWake      `conf:"no_wake,one"` // requests that start nothing
	Compress    bool          `conf:"compress"`
	CORS        CORS          `conf:"cors"`
	RequestID   bool          `conf:"request_id"`
	HTTPS       string        `conf:"https" oneof:"redirect allow"` // what requests without TLS get; empty: redirect where the host has a certificate
	HSTS        time.Duration `conf:"hsts"`                         // Strict-Transport-Security; 0: nothing is said

	BySource       bool          `conf:"-"`               // `sticky: source`: a TCP or UDP client stays on one replica
	MaxConnections int           `conf:"max_connections"` // over all TCP routes of the app; 0: no limit
	TCPIdle        time.Duration `conf:"tcp_idle"`        // a connection that moves no byte for so long is closed; 0: never
	UDPIdle        time.Duration `conf:"udp_idle"`        // then a client's UDP session ends
	WakeOn         WakeOn        `conf:"wake_on"`         // which TCP and UDP clients may start the app
	WakeLimit      WakeLimit     `conf:"wake_limit"`
}

// Adopt names containers that others made, by one of the three. They are started and stopped, never made or removed.
type Adopt struct {
	Name  string `conf:"name"`
	Label string `conf:"label"` // KEY or KEY=VALUE
	Unit  string `conf:"unit"`  // of systemd, as foo.service
}

// Given says whether the app adopts.
func (a Adopt) Given() bool { return a != Adopt{} }

// Replicas bounds how many containers an app has.
type Replicas struct {
	Min int `conf:"min"`
	Max int `conf:"max"`
}

// Ready is how a started container shows that it can serve: one of HTTP, TCP and Health, or
// none: any answer over HTTP.
type Ready struct {
	HTTP    string        `conf:"http"` // a path that answers 2xx or 3xx
	TCP     bool          `conf:"tcp"`
	Health  bool          `conf:"health"` // the engine's own health check
	UDP     bool          `conf:"udp"`    // Port is one of UDP, which must not be refused
	Send    string        `conf:"send"`   // to the app, over TCP or UDP
	Expect  string        `conf:"expect"` // in its answer; empty: any, if something is sent
	Port    int           `conf:"port"`   // 0: the app's
	Timeout time.Duration `conf:"timeout"`
}

// Update is how an outdated replica is replaced.
type Update struct {
	Order string `conf:"order" oneof:"start-first stop-first"`
	When  string `conf:"when" oneof:"manual"`
}

// Hold is how long a request waits for a replica.
type Hold struct {
	Page  time.Duration `conf:"page"` // then a browser gets the waiting page
	Max   time.Duration `conf:"max"`  // then anybody else gets 503
	Queue int           `conf:"queue"`
}
