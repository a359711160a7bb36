package integration

import "testing"

func TestDNS(t *testing.T) { onEachReach(t, dns) }

// dig asks a name server that sleeps, over UDP and TCP, and again after a removal from outside.
func dns(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "names", "dnsmasq -C /etc/dnsmasq.conf", `
    ready: {tcp: true}
    route: [{udp: "127.0.0.1:0", port: 53}, {tcp: "127.0.0.1:0", port: 53}]`)})
	resolve := func(proto string, args ...string) {
		t.Helper()
		args = append(args, "@127.0.0.1", "-p", portOf(f.l4(t, proto)), "+short", "+tries=1", "+time=20", "www.answer.test")
		if got := used(t, "/usr/bin/dig", args...); got != "192.0.2.53" {
			t.Errorf("%s: got %q", proto, got)
		}
	}
	resolve("udp")
	resolve("tcp", "+tcp")
	f.outside.remove(f.only(t, "names").ID)
	resolve("udp")
	resolve("tcp", "+tcp")
	f.only(t, "names")
}
