package conf

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
)

func checkHosts(c *Config, root value) {
	first := map[string]string{}
	for _, name := range sortedKeys(c.Hosts) {
		host, v := c.Hosts[name], root.get("hosts", name)
		checkName(v, name)
		host.check(v)
		c.Hosts[name] = host
		if other, twice := first[host.URL]; twice && host.URL != "" {
			v.get("url").fail("hosts.%s is the same engine", other)
		}
		first[host.URL] = name
	}
}

func (h *Host) check(v value) {
	if h.URL == "" {
		v.missing("url", "unix:///run/podman/podman.sock, tcp://HOST:2376 or ssh://USER@HOST/run/podman/podman.sock")
	} else if !v.get("url").faulty() {
		h.checkURL(v)
	}
	positive(v.get("timeout"), h.Timeout)
	positive(v.get("weight"), h.Weight)
	notNegative(v.get("max_containers"), h.MaxContainers)
	h.checkReach(v.get("reach"))
	if _, err := netip.ParseAddr(h.Address); err != nil && h.Address != "" {
		v.get("address").fail("expected an IP address, got %s", v.get("address").shown())
	}
	if h.TLS != nil {
		h.checkTLS(v.get("tls"))
	}
}

const urls = "unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST/PATH"

func (h *Host) checkURL(v value) {
	at := v.get("url")
	u, err := url.Parse(h.URL)
	switch {
	case err != nil:
		at.hint(urls, "is no URL: %s", at.shown())
		return
	case u.Scheme == "unix":
		if u.Host != "" || !filepath.IsAbs(u.Path) {
			at.hint("unix:///PATH, with three slashes", "expected the path of a socket, got %s", at.shown())
		}
	case u.Scheme == "tcp":
		h.checkTCP(u, v)
	case u.Scheme == "ssh":
		h.checkSSH(u, v)
	default:
		at.hint(urls, "expected a unix://, tcp:// or ssh:// URL, got %s", at.shown())
		return
	}
	h.checkScheme(u.Scheme, v)
}

// checkScheme refuses what is for another kind of URL: whoever wrote it believes that it protects.
func (h *Host) checkScheme(scheme string, v value) {
	if h.TLS != nil && scheme != "tcp" {
		v.get("tls").fail("is for tcp://, and this is %s://", scheme)
	}
	h.Identity = sshFile(scheme, v.get("identity"), h.Identity)
	h.KnownHosts = sshFile(scheme, v.get("known_hosts"), h.KnownHosts)
}

func sshFile(scheme string, v value, path string) string {
	switch {
	case path == "":
		return ""
	case scheme != "ssh":
		v.fail("is for ssh://, and this is %s://", scheme)
	}
	return v.file(path)
}

func (h *Host) checkTCP(u *url.URL, v value) {
	name, port, err := net.SplitHostPort(u.Host)
	if err != nil || name == "" || !isPort(port, 1) || strings.Trim(u.Path, "/") != "" || u.User != nil {
		v.get("url").fail("expected tcp://HOST:PORT, got %s", v.get("url").shown())
		return
	}
	if h.TLS == nil && !loopback(name) {
		v.get("url").warn("tls: {ca: …, cert: …, key: …}", "whoever reaches this port is root on %s", name)
	}
	h.checkRemote(name, v)
}

func (h *Host) checkSSH(u *url.URL, v value) {
	at := v.get("url")
	if _, given := u.User.Password(); given {
		at.hint("identity: FILE, or an ssh-agent", "a password is not used")
		return
	}
	whole := u.Hostname() != "" && (u.Port() == "" || isPort(u.Port(), 1)) && strings.Trim(u.Path, "/") != ""
	if !whole || u.RawQuery != "" || u.Fragment != "" {
		at.fail("expected ssh://USER@HOST[:PORT]/PATH, got %s", at.shown())
		return
	}
	h.checkRemote(u.Hostname(), v)
}

// checkRemote: what a container publishes on another machine's loopback is out of reach, and all of its interfaces are
// not for us to choose.
func (h *Host) checkRemote(name string, v value) {
	if h.Address == "" && !loopback(name) && (h.Reach == "auto" || h.Reach == "published") {
		v.missing("address", "the IP address of "+name+" where its published ports are dialled; or another reach")
	}
}

func (h *Host) checkReach(v value) {
	network, named := strings.CutPrefix(h.Reach, "network:")
	switch {
	case h.Reach == "auto", h.Reach == "address", h.Reach == "published", named && network != "", v.faulty():
	default:
		v.fail("expected auto, address, published or network:NAME, got %s", v.shown())
	}
}

func (h *Host) checkTLS(v value) {
	if (h.TLS.Cert == "") != (h.TLS.Key == "") {
		v.fail("cert and key belong together")
	}
	for key, path := range map[string]*string{"ca": &h.TLS.CA, "cert": &h.TLS.Cert, "key": &h.TLS.Key} {
		if *path != "" {
			*path = v.get(key).file(*path)
		}
	}
}
