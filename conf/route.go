package conf

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Route is how traffic finds an app: by host and path over HTTP, or by an address of its own over TCP or UDP.
type Route struct {
	Host  string `conf:"host"` // lower case; "*.example.org" with TLS.ACME.DNS: each right under it; empty: any
	Path  string `conf:"path"` // no slash at its end but for "/", which is the default
	Strip bool   `conf:"strip"`
	// ClientCA is a file of authorities, absolute: only clients with a certificate of one of them. Empty: anybody.
	ClientCA string `conf:"client_ca"`

	TCP string `conf:"tcp"` // HOST:PORT, or HOST:FIRST-LAST; empty: not over TCP
	UDP string `conf:"udp"` // the same for UDP
	SNI string `conf:"sni"` // lower case; only the TLS connections that ask for this name, or for one under it ("*.example.org")
	// ProxyProtocol is the version of the header that tells the app for whom we speak; empty: none.
	ProxyProtocol string `conf:"proxy_protocol" oneof:"v1 v2"`
	Port          int    `conf:"port"` // in the container; of a range the first. 0: the app's, of a range the same numbers
	// Responses is how many datagrams answer one from the client; then the UDP session ends. Nil: not known.
	Responses *int `conf:"responses"`
}

// IsHTTP says whether the route is host and path.
func (r Route) IsHTTP() bool { return r.TCP == "" && r.UDP == "" }

// Way is one listener of a TCP or UDP route and where it leads.
type Way struct {
	Address string // HOST:PORT
	Port    int    // in the container
}

// Ways are the listeners of a TCP or UDP route, one for each port of its range.
func (r Route) Ways() []Way {
	host, first, last, err := splitRange(r.TCP + r.UDP)
	if err != nil {
		return nil // which was refused
	}
	ways := make([]Way, 0, last-first+1)
	for outside := first; outside <= last; outside++ {
		inside := outside
		if r.Port != 0 {
			inside = r.Port + outside - first
		}
		ways = append(ways, Way{Address: net.JoinHostPort(host, strconv.Itoa(outside)), Port: inside})
	}
	return ways
}

// maxRange is the longest range of one route: each port is a socket.
const maxRange = 256

// splitRange reads HOST:PORT and HOST:FIRST-LAST.
func splitRange(address string) (host string, first, last int, err error) {
	host, ports, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, 0, fmt.Errorf("expected HOST:PORT or HOST:FIRST-LAST")
	}
	from, to, isRange := strings.Cut(ports, "-")
	if !isRange {
		to = from
	}
	if !isPort(from, 0) || !isPort(to, 0) {
		return "", 0, 0, fmt.Errorf("expected HOST:PORT or HOST:FIRST-LAST")
	}
	first, _ = strconv.Atoi(from)
	last, _ = strconv.Atoi(to)
	switch {
	case isRange && first == 0, last < first:
		return "", 0, 0, fmt.Errorf("%s is no range", ports)
	case last-first >= maxRange:
		return "", 0, 0, fmt.Errorf("a range has at most %d ports", maxRange)
	}
	return host, first, last, nil
}
