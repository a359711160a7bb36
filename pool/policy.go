package pool

import (
	"crypto/tls"
	"slices"
	"time"
)

// Policy is what the operator wants of an app, as far as admission, scaling and liveness need it. It is plain data and
// never changes in place: a reload brings a new one.
type Policy struct {
	Min, Max int // replicas; Max is at least 1
	Seats    int // visitors per replica; 0 means no limit
	Sticky   bool
	Port     int   // the app's main port; the one that readiness asks
	Ports    []int // all ports that traffic may need, the main one included, those of UDP as UDP(port)

	SessionIdle time.Duration // a session that was silent for so long is over; 0 means never
	Idle        time.Duration // scale down after so long without use; negative means never
	Drain       time.Duration // how long a draining replica's visitors may stay
	StopGrace   time.Duration
	Sleep       SleepMode
	KeepData    bool // Sleep was left out: stop instead of remove where anonymous volumes would go
	Order       UpdateOrder

	Ready        Readiness
	Health       Health
	RestartGrace time.Duration // the window in which a stopped container may come back
	HoldQueue    int           // waiting requests; 0 means no limit
	Spec         string        // the spec hash that new replicas get
	Hosts        []string      // where replicas may run; empty means anywhere
	Fixed        string        // HOST:PORT of an app that is there without an engine; empty: it has containers
	Adopt        Adoption      // its containers are others'; zero: Fairlead makes them
	TLS          *tls.Config   // how an app that speaks HTTP over TLS is known; nil: it does not. Another one is another pointer
}

// Adoption names containers that others made, by one of the three.
type Adoption struct {
	Name  string
	Label string // KEY or KEY=VALUE
	Unit  string // of systemd, which makes the container when it is started
}

// Adopts says whether the app's containers are others': they are found, and never made.
func (p *Policy) Adopts() bool { return p.Adopt != Adoption{} }

func (a Adoption) String() string {
	switch {
	case a.Name != "":
		return "named " + a.Name
	case a.Unit != "":
		return "run by " + a.Unit
	}
	return "labelled " + a.Label
}

// Fits says whether a row is of the kind that the policy asks for: a reload may turn an app that adopts into one that
// makes its containers, and back, and may name other containers.
func (p *Policy) Fits(row Row) bool {
	return row.Adopted == (p.Adopts() || p.Fixed != "") && (!row.Adopted || row.Spec == p.Spec)
}

// valid is a copy with at least one replica allowed: with none, the app could never start (case B056).
func (p Policy) valid() *Policy {
	p.Max = max(p.Max, 1)
	return &p
}

// For is the policy as it holds for a row's container. A reload may have named another main port: the container goes on
// listening where it did, through restarts and sleep, and there it is asked whether it is ready.
func (p *Policy) For(row Row) *Policy {
	if row.Main == 0 || row.Main == p.Port {
		return p
	}
	own := *p
	own.Port = row.Main
	own.Ports = append([]int{row.Main}, slices.DeleteFunc(slices.Clone(p.Ports), func(port int) bool { return port == p.Port })...)
	return &own
}

// SleepMode says what becomes of the container of a replica that nobody uses.
type SleepMode int

const (
	SleepRemove SleepMode = iota
	SleepStop
	SleepPause
)

func (m SleepMode) String() string { return [...]string{"remove", "stop", "pause"}[m] }

// SleepOf is what becomes of a row's container when nobody uses it.
func (p *Policy) SleepOf(row Row) SleepMode {
	if p.KeepData && row.Volumes || row.Adopted && p.Sleep == SleepRemove {
		return SleepStop
	}
	return p.Sleep
}

// UpdateOrder says whether a replacement may run beside what it replaces.
type UpdateOrder int

const (
	StartFirst UpdateOrder = iota
	StopFirst
)

// Readiness is the check that a replica must pass before it gets traffic.
type Readiness struct {
	Path    string // HTTP path; empty means a TCP connect
	Speaks  bool   // any answer over HTTP, where a connect proves nothing
	Health  bool   // the engine's own health, instead
	UDP     bool   // Port is one of UDP
	Send    string // to the app, over TCP or UDP
	Expect  string // in its answer
	Port    int    // 0 means the policy's Port
	Timeout time.Duration
}

// Health is the check that goes on after readiness, at the same port.
type Health struct {
	Path     string // HTTP path; empty means that there is no check
	Interval time.Duration
	Retries  int  // failures in a row until something follows
	Restart  bool // the replica is replaced, not only left out
}

// CheckPort is the port that readiness asks, as a key.
func (p *Policy) CheckPort() int {
	if p.Ready.UDP {
		return UDP(p.Ready.Port)
	}
	if p.Ready.Port != 0 {
		return p.Ready.Port
	}
	return p.Port
}
