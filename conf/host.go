package conf

import "time"

// Host is one container engine.
type Host struct {
	URL           string        `conf:"url"`   // unix:///path, tcp://host:port or ssh://user@host/path
	Reach         string        `conf:"reach"` // auto, address, published or network:NAME
	Events        bool          `conf:"events"`
	Timeout       time.Duration `conf:"timeout"` // for one call
	Address       string        `conf:"address"` // the IP address where published ports are dialled; empty: loopback
	Weight        int           `conf:"weight"`
	MaxContainers int           `conf:"max_containers"` // 0: no limit
	TLS           *HostTLS      `conf:"tls"`            // nil: none
	Identity      string        `conf:"identity"`       // for ssh: a private key's file, absolute; empty: the agent's and the usual ones
	KnownHosts    string        `conf:"known_hosts"`    // for ssh: file of host keys, absolute; empty: the usual ones
}

// HostTLS is the client's side of TLS towards an engine: paths of PEM files, absolute.
type HostTLS struct {
	CA   string `conf:"ca"` // empty: the system's roots
	Cert string `conf:"cert"`
	Key  string `conf:"key"`
}
