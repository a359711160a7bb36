package runtime

import (
	"fmt"
	"net/netip"
	"strings"
)

// Reach says how Fairlead gets at the containers of a host.
type Reach struct {
	Mode    ReachMode
	Network string     // of ReachNetwork
	Address netip.Addr // where published ports are bound and dialled; loopback if zero
}

// ReachMode is one way to a container.
type ReachMode int

const (
	// ReachAddress dials the container's own address: a local rootful engine.
	ReachAddress ReachMode = iota + 1
	// ReachPublished dials a published port: rootless and remote engines.
	ReachPublished
	// ReachNetwork dials the container's address in a network that Fairlead's own container shares.
	ReachNetwork
)

func (r Reach) String() string {
	switch r.Mode {
	case ReachAddress:
		return "address"
	case ReachPublished:
		return "published"
	case ReachNetwork:
		return "network:" + r.Network
	default:
		return "unknown"
	}
}

// Endpoint is where one port of a container answers.
type Endpoint struct {
	Addr netip.AddrPort
	// Direct means the container's own address: a connect proves that the app listens. Behind a published port it
	// proves nothing, since the port forwarder accepts first.
	Direct bool
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// BindAddress is where published ports are bound: never on all interfaces unasked.
func (r Reach) BindAddress() netip.Addr {
	if r.Address.IsValid() {
		return r.Address
	}
	return loopback
}

// Endpoint finds the way to a TCP port of a running container, or says what is missing.
func (r Reach) Endpoint(c Container, port int) (Endpoint, error) {
	return r.endpoint(c, port, "", c.Published)
}

// UDPEndpoint is Endpoint for a UDP port.
func (r Reach) UDPEndpoint(c Container, port int) (Endpoint, error) {
	return r.endpoint(c, port, "UDP ", c.PublishedUDP)
}

func (r Reach) endpoint(c Container, port int, kind string, published map[int]netip.AddrPort) (Endpoint, error) {
	if r.Mode == ReachPublished {
		addr, ok := published[port]
		switch {
		case !ok && inHost(c) && r.Address.IsValid():
			addr = netip.AddrPortFrom(r.Address, uint16(port))
		case !ok && inHost(c):
			return Endpoint{Addr: netip.AddrPortFrom(loopback, uint16(port)), Direct: true}, nil
		case !ok:
			return Endpoint{}, fmt.Errorf("container %.12s publishes no %sport %d", c.ID, kind, port)
		}
		if r.Address.IsValid() {
			addr = netip.AddrPortFrom(r.Address, addr.Port())
		}
		return Endpoint{Addr: addr}, nil
	}
	ips := c.IPs
	if r.Mode == ReachNetwork && c.Networks != nil {
		ips = c.Networks[r.Network]
	}
	if len(ips) > 0 {
		return Endpoint{Addr: netip.AddrPortFrom(ips[0], uint16(port)), Direct: true}, nil
	}
	if addr, ok := published[port]; ok && r.Mode == ReachAddress { // pasta has no address to show (case B038)
		return Endpoint{Addr: addr}, nil
	}
	return Endpoint{}, fmt.Errorf("container %.12s has no address%s", c.ID, r.hint())
}

// inHost says whether the container has the host's own network: it publishes nothing, and is where the host is (case B046).
func inHost(c Container) bool { return len(c.IPs) == 1 && c.IPs[0] == loopback }

func (r Reach) hint() string {
	if r.Mode == ReachNetwork {
		return " in network " + r.Network
	}
	return "; use reach: published"
}

// Ports tells a spec which TCP ports to publish for this way of reaching them.
func (r Reach) Ports(numbers []int) []Port { return r.ports(numbers, "tcp") }

// UDPPorts is Ports for UDP.
func (r Reach) UDPPorts(numbers []int) []Port { return r.ports(numbers, "udp") }

func (r Reach) ports(numbers []int, proto string) []Port {
	ports := make([]Port, 0, len(numbers))
	for _, n := range numbers {
		p := Port{Number: n, Proto: proto}
		if r.Mode == ReachPublished {
			p.Publish, p.HostIP = true, r.BindAddress().String()
		}
		ports = append(ports, p)
	}
	return ports
}

// ParseReach reads the configuration's word; auto follows from the engine: rootless and remote ones are published.
func ParseReach(word string, info Info, remote bool, address netip.Addr) (Reach, error) {
	name, network, _ := strings.Cut(word, ":")
	switch name {
	case "", "auto":
		if info.Rootless || remote {
			return Reach{Mode: ReachPublished, Address: address}, nil
		}
		return Reach{Mode: ReachAddress}, nil
	case "address":
		return Reach{Mode: ReachAddress}, nil
	case "published":
		return Reach{Mode: ReachPublished, Address: address}, nil
	case "network":
		return Reach{Mode: ReachNetwork, Network: network}, nil
	}
	return Reach{}, fmt.Errorf("reach %q: want auto, address, published or network:NAME", word)
}
