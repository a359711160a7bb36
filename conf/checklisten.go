package conf

import (
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Systemd begins the address of a listener whose socket systemd passes; the name of that follows.
const Systemd = "systemd:"

// socketName is what FileDescriptorName= takes, by systemd.socket(5), short of a space.
var socketName = regexp.MustCompile(`^[!-9;-~]{1,255}$`)

func checkListen(c *Config, root value) {
	listen := root.get("listen")
	taken := listen.get("http").listeners(c.Listen.HTTP, nil)
	taken = listen.get("https").listeners(c.Listen.HTTPS, taken)
	if admin := listen.get("admin"); c.Listen.Admin != "" && !admin.loopbackOnly(c.Listen.Admin) {
		admin.hint("127.0.0.1:9900 or unix:///run/fairlead/admin.sock",
			"the admin API listens on loopback or on a unix socket only")
	} else if c.Listen.Admin != "" {
		taken = admin.listener(c.Listen.Admin, taken)
	}
	if c.Listen.Metrics != "" {
		listen.get("metrics").listener(c.Listen.Metrics, taken)
	}
	notNegative(root.get("shutdown", "grace"), c.Shutdown.Grace)
}

func (v value) listeners(addresses, taken []string) []string {
	for i, address := range addresses {
		taken = v.item(i).listener(address, taken)
	}
	return taken
}

// listener checks one address and that no other listener has it.
func (v value) listener(address string, taken []string) []string {
	if v.faulty() {
		return taken
	}
	if path, ok := strings.CutPrefix(address, "unix://"); ok {
		if !filepath.IsAbs(path) {
			v.fail("expected unix:///PATH, got %s", v.shown())
		}
	} else if name, ok := strings.CutPrefix(address, Systemd); ok {
		if !socketName.MatchString(name) {
			v.fail("expected %sNAME, the FileDescriptorName of a socket unit, got %s", Systemd, v.shown())
		}
	} else if _, port, err := net.SplitHostPort(address); err != nil || !isPort(port, 0) {
		v.hint(":8080 for every address, or 127.0.0.1:8080", "expected HOST:PORT, got %s", v.shown())
		return taken
	}
	for _, other := range taken {
		if other == address && !strings.HasSuffix(address, ":0") {
			v.fail("another listener has %s already", address)
		}
	}
	return append(taken, address)
}

func (v value) loopbackOnly(address string) bool {
	if strings.HasPrefix(address, "unix://") || strings.HasPrefix(address, Systemd) || v.faulty() {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

func isPort(s string, least int) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && int(n) >= least
}
