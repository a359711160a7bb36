package runtime_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

func TestReachEndpoint(t *testing.T) {
	four, six := netip.MustParseAddr("172.17.0.2"), netip.MustParseAddr("fd00::2")
	published := map[int]netip.AddrPort{8080: netip.MustParseAddrPort("127.0.0.1:32768")}
	remote := netip.MustParseAddr("10.0.0.5")
	tests := map[string]struct {
		reach     runtime.Reach
		container runtime.Container
		want      string
		direct    bool
		says      string
	}{
		"own address": {
			reach:     runtime.Reach{Mode: runtime.ReachAddress},
			container: runtime.Container{IPs: []netip.Addr{four, six}, Published: published},
			want:      "172.17.0.2:8080", direct: true,
		},
		"IPv6 only, case B047": {
			reach:     runtime.Reach{Mode: runtime.ReachAddress},
			container: runtime.Container{IPs: []netip.Addr{six}},
			want:      "[fd00::2]:8080", direct: true,
		},
		"no address but published, case B038": {
			reach:     runtime.Reach{Mode: runtime.ReachAddress},
			container: runtime.Container{Published: published},
			want:      "127.0.0.1:32768",
		},
		"no address at all": {
			reach: runtime.Reach{Mode: runtime.ReachAddress}, says: "use reach: published",
		},
		"published": {
			reach:     runtime.Reach{Mode: runtime.ReachPublished},
			container: runtime.Container{IPs: []netip.Addr{four}, Published: published},
			want:      "127.0.0.1:32768",
		},
		"published on a remote host": {
			reach:     runtime.Reach{Mode: runtime.ReachPublished, Address: remote},
			container: runtime.Container{Published: published},
			want:      "10.0.0.5:32768",
		},
		"not published": {
			reach:     runtime.Reach{Mode: runtime.ReachPublished},
			container: runtime.Container{IPs: []netip.Addr{four}},
			says:      "publishes no port 8080",
		},
		"the named network": {
			reach: runtime.Reach{Mode: runtime.ReachNetwork, Network: "inner"},
			container: runtime.Container{IPs: []netip.Addr{four, six},
				Networks: map[string][]netip.Addr{"bridge": {four}, "inner": {six}}},
			want: "[fd00::2]:8080", direct: true,
		},
		"not in the named network": {
			reach: runtime.Reach{Mode: runtime.ReachNetwork, Network: "inner"},
			container: runtime.Container{IPs: []netip.Addr{four}, Published: published,
				Networks: map[string][]netip.Addr{"bridge": {four}}},
			says: "in network inner",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := test.reach.Endpoint(test.container, 8080)
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Fatalf("want an error about %q, got %v", test.says, err)
				}
				return
			}
			if err != nil || got.Addr.String() != test.want || got.Direct != test.direct {
				t.Errorf("want %s direct %v, got %+v, %v", test.want, test.direct, got, err)
			}
		})
	}
}

// The same number over TCP and over UDP are two ports.
func TestReachUDP(t *testing.T) {
	c := runtime.Container{
		Published:    map[int]netip.AddrPort{53: netip.MustParseAddrPort("127.0.0.1:1053")},
		PublishedUDP: map[int]netip.AddrPort{53: netip.MustParseAddrPort("127.0.0.1:2053")},
	}
	reach := runtime.Reach{Mode: runtime.ReachPublished}
	if way, err := reach.UDPEndpoint(c, 53); err != nil || way.Addr.Port() != 2053 || way.Direct {
		t.Errorf("got %+v, %v", way, err)
	}
	if way, err := reach.Endpoint(c, 53); err != nil || way.Addr.Port() != 1053 {
		t.Errorf("got %+v, %v", way, err)
	}
	if _, err := reach.UDPEndpoint(c, 54); err == nil {
		t.Error("found a port that is not published")
	}
}

func TestReachPorts(t *testing.T) {
	local := runtime.Reach{Mode: runtime.ReachPublished}.Ports([]int{80})
	if p := local[0]; !p.Publish || p.HostIP != "127.0.0.1" || p.Number != 80 {
		t.Errorf("want loopback, never all interfaces: %+v", p)
	}
	if p := (runtime.Reach{Mode: runtime.ReachPublished}).UDPPorts([]int{53}); p[0].Proto != "udp" || !p[0].Publish {
		t.Errorf("want a published UDP port: %+v", p)
	}
	direct := runtime.Reach{Mode: runtime.ReachAddress}.Ports([]int{80})
	if direct[0].Publish {
		t.Errorf("nothing to publish: %+v", direct[0])
	}
}

func TestParseReach(t *testing.T) {
	rootless := runtime.Info{Rootless: true}
	tests := []struct {
		word   string
		info   runtime.Info
		remote bool
		want   runtime.ReachMode
	}{
		{"", runtime.Info{}, false, runtime.ReachAddress},
		{"auto", rootless, false, runtime.ReachPublished},
		{"auto", runtime.Info{}, true, runtime.ReachPublished},
		{"address", rootless, false, runtime.ReachAddress},
		{"published", runtime.Info{}, false, runtime.ReachPublished},
		{"network:inner", runtime.Info{}, false, runtime.ReachNetwork},
	}
	for _, test := range tests {
		got, err := runtime.ParseReach(test.word, test.info, test.remote, netip.Addr{})
		if err != nil || got.Mode != test.want {
			t.Errorf("%q: want mode %d, got %+v, %v", test.word, test.want, got, err)
		}
	}
	if _, err := runtime.ParseReach("teleport", runtime.Info{}, false, netip.Addr{}); err == nil {
		t.Error("an unknown word was accepted")
	}
}
