package certs

import (
	"crypto/tls"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

func TestTheNameChoosesTheCertificate(t *testing.T) {
	a := newAuthority(t)
	m := configured(t, Options{}, files(
		a.issue("star", "*.example.org"), a.issue("exact", "app.example.org", "Other.Example.Net"), a.issue("ip", "127.0.0.1")))
	for name, want := range map[string]string{
		"app.example.org":   "app.example.org", // before the star, though the star comes first
		"APP.example.ORG":   "app.example.org",
		"other.example.net": "app.example.org",
		"x.example.org":     "*.example.org",
		"127.0.0.1":         "127.0.0.1", // is not sent as a name: the address that was connected to
	} {
		state, err := handshake(t, m.TLSConfig("http/1.1"), a.client(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if leaf := state.PeerCertificates[0]; namesOf(&tls.Certificate{Leaf: leaf})[0] != want {
			t.Errorf("%s: got the certificate of %v, want that of %s", name, leaf.DNSNames, want)
		}
		if state.Version != tls.VersionTLS13 {
			t.Errorf("%s: version %x", name, state.Version)
		}
	}
}

// Case B182.
func TestUnknownNamesGetAnAlertAndNobodysCertificate(t *testing.T) {
	a := newAuthority(t)
	m := configured(t, Options{}, files(a.issue("one", "app.example.org")))
	for _, name := range []string{"other.example.org", "x.app.example.org", "127.0.0.1", "example.org"} {
		state, err := handshake(t, m.TLSConfig("http/1.1"), a.client(name))
		if !gotAlert(err, unrecognizedName) {
			t.Errorf("%s: got %v, want %v", name, err, unrecognizedName)
		}
		if len(state.PeerCertificates) != 0 {
			t.Errorf("%s: got the certificate of %v", name, state.PeerCertificates[0].DNSNames)
		}
	}
}

func TestFallbackIsForTheUnknown(t *testing.T) {
	a := newAuthority(t)
	fallback := a.issue("two", "two.example.org")
	fallback.Fallback = true
	m := configured(t, Options{}, files(a.issue("one", "one.example.org"), fallback))
	for name, want := range map[string]string{
		"one.example.org": "one.example.org", "three.example.org": "two.example.org", "127.0.0.1": "two.example.org",
	} {
		client := a.client(name)
		client.InsecureSkipVerify = true
		state, err := handshake(t, m.TLSConfig("http/1.1"), client)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := state.PeerCertificates[0].DNSNames[0]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestOldVersionsAreRefused(t *testing.T) {
	a := newAuthority(t)
	m := configured(t, Options{}, files(a.issue("one", "app.example.org")))
	client := a.client("app.example.org")
	client.MinVersion, client.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if _, err := handshake(t, m.TLSConfig("http/1.1"), client); !gotAlert(err, protocolVersion) {
		t.Errorf("got %v, want protocol_version", err)
	}
	client.MaxVersion = tls.VersionTLS12
	if state, err := handshake(t, m.TLSConfig("http/1.1"), client); err != nil || state.Version != tls.VersionTLS12 {
		t.Errorf("TLS 1.2: %x, %v", state.Version, err)
	}
}

func TestFilesThatCannotBeUsedAreRefused(t *testing.T) {
	a := newAuthority(t)
	m := configured(t, Options{}, files(a.issue("one", "app.example.org")))
	one, two := a.issue("two", "two.example.org"), a.issue("three", "three.example.org")
	for _, wrong := range []conf.Cert{{Cert: one.Cert, Key: two.Key}, {Cert: one.Cert + ".not", Key: one.Key}} {
		if _, err := m.Prepare(files(wrong)); err == nil || !strings.Contains(err.Error(), wrong.Cert) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := handshake(t, m.TLSConfig("http/1.1"), a.client("app.example.org")); err != nil {
		t.Errorf("what was in force is not any more: %v", err)
	}
}
