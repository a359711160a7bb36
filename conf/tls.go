package conf

import (
	"net"
	"strconv"
	"strings"
)

// Public is where the outside sees the listeners, when something before Fairlead forwards other ports to them.
type Public struct {
	HTTP  int `conf:"http"` // 0: that of the listener
	HTTPS int `conf:"https"`
}

// HTTPSPort is where the outside finds us over TLS; 0: nowhere.
func (l Listen) HTTPSPort() int {
	if l.Public.HTTPS != 0 || len(l.HTTPS) == 0 {
		return l.Public.HTTPS
	}
	if strings.HasPrefix(l.HTTPS[0], Systemd) {
		return 443
	}
	_, port, _ := net.SplitHostPort(l.HTTPS[0])
	n, _ := strconv.Atoi(port)
	return n
}

// TLS is where the certificates of the https listeners come from.
type TLS struct {
	Certs []Cert `conf:"certs,one"`
	ACME  *ACME  `conf:"acme"` // nil: nobody issues any
	// LocalCA are names, "*.lab.lan" too, and addresses, for which an authority of our own issues.
	LocalCA []string `conf:"local_ca,one"`
}

// ACME is an authority that issues certificates for the hosts of routes (RFC 8555).
type ACME struct {
	Email     string `conf:"email"`     // where it tells of trouble; may be empty
	Directory string `conf:"directory"` // URL, or staging; empty: Let's Encrypt
	CA        string `conf:"ca"`        // file of roots to know it by, absolute; empty: the system's
	DNS       *DNS   `conf:"dns"`       // nil: it asks over HTTP or TLS
}

// Cert is a certificate with its chain, and its key: paths of PEM files, absolute.
type Cert struct {
	Cert string `conf:"cert"`
	Key  string `conf:"key"`
	// Fallback gives it to clients that ask for no server name, or for one that no certificate has.
	Fallback bool `conf:"fallback"`
}

// stars says whether a host of a route may be "*.example.org": an authority gives a certificate for it over the DNS alone.
func (t TLS) stars() bool { return t.ACME == nil || t.ACME.DNS != nil }

// Given says whether certificates can come from anywhere.
func (t TLS) Given() bool { return len(t.Certs) > 0 || t.ACME != nil || len(t.LocalCA) > 0 }
