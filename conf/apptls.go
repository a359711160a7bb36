package conf

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"strings"
	"time"
)

// AppTLS is how an app that speaks https is known, and what it is shown. What the files hold is kept, so that a reload sees
// what is another.
type AppTLS struct {
	CA         string `conf:"ca"`          // file of authorities, absolute; empty: the system's
	ServerName string `conf:"server_name"` // that is asked for, and that the certificate must be for; empty: see KnownAs
	Verify     bool   `conf:"verify"`
	Cert       string `conf:"cert"` // files of a certificate that the app is shown, and of its key, absolute
	Key        string `conf:"key"`

	Roots   string // what CA holds
	CertPEM string
	KeyPEM  Secret
}

// KnownAs is the name of an app that speaks https: the one that is given, else the upstream's. Empty: that of a container, which
// has none but an address that changes.
func (a *App) KnownAs() string {
	if a.TLS.ServerName != "" || a.Upstream == "" {
		return a.TLS.ServerName
	}
	host, _ := a.UpstreamAddress()
	return host
}

func (a *App) checkTLS(v value) {
	at := v.get("tls")
	if a.Protocol != "https" {
		if at.given() && !v.get("protocol").faulty() && !at.faulty() {
			at.hint("protocol: https; for visitors there is tls at the top of the file, and https serves every app",
				"is for an app that speaks https")
		}
		return
	}
	a.TLS.checkName(at.get("server_name"))
	a.TLS.checkAuthorities(at)
	a.TLS.checkPair(at)
	if a.TLS.Verify && a.TLS.CA == "" && a.KnownAs() == "" && !at.faulty() && !at.strays() {
		v.hint("tls: {server_name: NAME}, {ca: FILE}, or {verify: false}", "nothing says by what a container that speaks https is known")
	}
}

func (t *AppTLS) checkName(v value) {
	name := strings.ToLower(strings.TrimSuffix(t.ServerName, "."))
	if _, err := netip.ParseAddr(name); name != "" && err != nil && !hostname.MatchString(name) {
		v.hint("wiki.example.org", "expected a host's name or an address, got %s", v.shown())
	}
	t.ServerName = name
}

func (t *AppTLS) checkAuthorities(v value) {
	at := v.get("ca")
	switch {
	case t.CA == "" || at.faulty():
	case !t.Verify:
		at.hint("without verify: false", "does nothing: any certificate will do")
	default:
		t.CA = at.file(t.CA)
		t.Roots = at.authorities(t.CA)
	}
}

// checkPair reads the certificate that the app is shown.
func (t *AppTLS) checkPair(v value) {
	cert, key := v.get("cert"), v.get("key")
	switch {
	case cert.faulty() || key.faulty() || t.Cert == "" && t.Key == "":
		return
	case t.Cert == "":
		v.missing("cert", "a PEM file")
		return
	case t.Key == "":
		v.missing("key", "a PEM file")
		return
	}
	t.Cert, t.Key = cert.file(t.Cert), key.file(t.Key)
	text, ok := cert.readable(t.Cert)
	secret, also := key.readable(t.Key)
	if !ok || !also {
		return
	}
	t.CertPEM, t.KeyPEM = text, NewSecret(secret)
	switch pair, err := tls.X509KeyPair([]byte(text), []byte(secret)); {
	case err != nil:
		cert.fail("is no certificate with its key: %v", err)
	case time.Now().After(pair.Leaf.NotAfter):
		cert.warn("", "it has expired, on %s", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}

// authorities returns what a file of certificates holds.
func (v value) authorities(path string) (pem string) {
	pem, ok := v.readable(path)
	if ok && !x509.NewCertPool().AppendCertsFromPEM([]byte(pem)) {
		v.fail("%s holds no certificate", path)
	}
	return pem
}
