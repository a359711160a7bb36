package conf

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

func checkTLS(c *Config, root value) {
	v := root.get("tls")
	leaves := c.TLS.checkCerts(v.get("certs"))
	c.TLS.ACME.check(v.get("acme"))
	c.TLS.checkLocal(v.get("local_ca"))
	https := root.get("listen", "https")
	switch {
	case len(c.Listen.HTTPS) > 0 && !c.TLS.Given() && !v.faulty():
		https.hint("tls: {certs: [{cert: …, key: …}]}, {acme: {email: …}} or {local_ca: [NAME]}", "there is no certificate for it")
	case len(c.Listen.HTTPS) == 0 && c.TLS.Given() && !https.faulty():
		v.warn("listen: {https: \":8443\"}", "no listener uses it")
	}
	public := root.get("listen", "public")
	checkPublic(public.get("http"), c.Listen.Public.HTTP)
	checkPublic(public.get("https"), c.Listen.Public.HTTPS)
	c.warnAboutHosts(root, leaves)
}

func checkPublic(v value, port int) {
	if v.given() && (port < 1 || port > 65535) {
		v.refuse("a port is 1 to 65535")
	}
}

func (t *TLS) checkCerts(v value) (leaves []*x509.Certificate) {
	fallback := false
	for i := range t.Certs {
		at := v.item(i)
		if leaf := t.Certs[i].check(at); leaf != nil {
			leaves = append(leaves, leaf)
		}
		if fallback && t.Certs[i].Fallback {
			at.get("fallback").fail("another certificate is the fallback already")
		}
		fallback = fallback || t.Certs[i].Fallback
	}
	return leaves
}

// check loads the files, so that one that is missing, or not to be read, is known now and not when a client comes.
func (c *Cert) check(v value) *x509.Certificate {
	whole := !v.faulty()
	for _, key := range []string{"cert", "key"} {
		path := &c.Cert
		if key == "key" {
			path = &c.Key
		}
		if *path == "" {
			v.missing(key, "a PEM file")
			whole = false
			continue
		}
		*path = v.get(key).file(*path)
		if whole {
			_, whole = v.get(key).readable(*path)
		}
	}
	if !whole {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	switch {
	case err != nil:
		v.fail("is no certificate with its key: %v", err)
		return nil
	case time.Now().After(pair.Leaf.NotAfter):
		v.warn("", "it has expired, on %s", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	return pair.Leaf
}

// warnAboutHosts tells of hosts that nobody can reach over TLS.
func (c *Config) warnAboutHosts(root value, leaves []*x509.Certificate) {
	if len(c.Listen.HTTPS) == 0 || c.TLS.ACME != nil || !c.TLS.Given() || root.get("tls").faulty() {
		return
	}
	for _, name := range sortedKeys(c.Apps) {
		v := root.get("apps", name, "route")
		for i, r := range c.Apps[name].Routes {
			at := v.item(i)
			if r.Host != "" && !c.TLS.covers(r.Host, leaves) {
				at.get("host").warn("", "no certificate is for it: over https nobody reaches it")
			}
		}
	}
}

func (t TLS) covers(host string, leaves []*x509.Certificate) bool {
	host = strings.Trim(strings.ToLower(host), "[]")
	_, parent, _ := strings.Cut(host, ".")
	if slices.Contains(t.LocalCA, host) || slices.Contains(t.LocalCA, "*."+parent) ||
		slices.ContainsFunc(t.Certs, func(c Cert) bool { return c.Fallback }) {
		return true
	}
	return slices.ContainsFunc(leaves, func(leaf *x509.Certificate) bool { return leaf.VerifyHostname(host) == nil })
}

func (v value) readable(path string) (text string, ok bool) {
	text, err := readLimited(path)
	if errors.Is(err, os.ErrPermission) {
		v.hint("it must be readable for the user that Fairlead runs as", "%v", err)
	} else if err != nil {
		v.fail("%v", err)
	}
	return text, err == nil
}

func (a *ACME) check(v value) {
	if a == nil {
		return
	}
	switch u, err := url.Parse(a.Directory); {
	case a.Directory == "", a.Directory == "staging", v.get("directory").faulty():
	case err != nil, u.Scheme != "https", u.Host == "":
		v.get("directory").hint("left out it is Let's Encrypt, and staging its rehearsal", "expected an https:// URL, got %s", v.get("directory").shown())
	}
	if at := v.get("ca"); a.CA != "" && !at.faulty() {
		a.CA = at.file(a.CA)
		at.authorities(a.CA)
	}
	if a.Email != "" && !strings.Contains(a.Email, "@") {
		v.get("email").refuse("is no address: %s", v.get("email").shown())
	}
	a.DNS.check(v.get("dns"))
}

func (t *TLS) checkLocal(v value) {
	for i, name := range t.LocalCA {
		at := v.item(i)
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		t.LocalCA[i] = name
		_, notAddress := netip.ParseAddr(name)
		if notAddress != nil && !hostname.MatchString(strings.TrimPrefix(name, "*.")) && !at.faulty() {
			at.hint("lab.lan, *.lab.lan or 10.0.0.5", "expected a host's name or an address, got %s", at.shown())
		}
	}
}

// checkClientCA: the server's name says in the handshake whether a certificate is asked for, so the route needs one.
func (v value) checkClientCA(r *Route) {
	at := v.get("client_ca")
	if r.ClientCA == "" || at.faulty() {
		return
	}
	r.ClientCA = at.file(r.ClientCA)
	at.authorities(r.ClientCA)
	switch {
	case r.Host == "":
		v.missing("host", "client_ca asks the clients of one host")
	case strings.HasPrefix(r.Host, "*."):
		at.hint("write each name", "asks the clients of one host, not of many")
	}
}

func (a *App) checkHTTPS(c *Config, v value) {
	positive(v.get("hsts"), a.HSTS)
	if a.HTTPS == "redirect" && c.Listen.HTTPSPort() == 0 && !v.get("https").faulty() {
		v.get("https").hint("listen: {https: \":8443\"}", "there is nothing to redirect to")
	}
	for i, r := range a.Routes {
		if r.ClientCA == "" || len(c.Listen.HTTPS) > 0 {
			continue
		}
		v.get("route").item(i).get("client_ca").hint("listen: {https: \":8443\"}", "without TLS nobody shows a certificate")
	}
}
