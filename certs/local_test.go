package certs

import (
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

func locally(state string, names ...string) *conf.Config {
	return &conf.Config{State: state, TLS: conf.TLS{LocalCA: names}, Apps: map[string]*conf.App{
		"one": {Routes: []conf.Route{{Host: "nas.lan"}, {Host: "a.b.lan"}, {Host: "other.example.org"}}},
	}}
}

// rootOf is what people add to what they trust.
func rootOf(t *testing.T, state string) *authority {
	t.Helper()
	file, _ := localFiles(state)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("%s holds no certificate", file)
	}
	return &authority{t: t, pool: pool}
}

func TestLocalAuthority(t *testing.T) {
	state := t.TempDir()
	m := configured(t, Options{}, locally(state, "*.lan", "localhost", "127.0.0.1"))
	root := rootOf(t, state)
	for _, name := range []string{"nas.lan", "x.lan", "LOCALHOST", "127.0.0.1"} {
		if _, err := handshake(t, m.TLSConfig("http/1.1"), root.client(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"a.b.lan", "lan", "other.example.org"} {
		if _, err := handshake(t, m.TLSConfig("http/1.1"), root.client(name)); !gotAlert(err, unrecognizedName) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if leaf := m.current.Load().of("x.lan")[0].Leaf; leaf.VerifyHostname("nas.lan") != nil || len(leaf.DNSNames) != 2 {
		t.Errorf("the route's host is not named: %v", leaf.DNSNames)
	}
}

func TestLocalAuthorityIsKept(t *testing.T) {
	state := t.TempDir()
	configured(t, Options{}, locally(state, "*.lan"))
	root := rootOf(t, state)
	cert, key := localFiles(state)
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	again := configured(t, Options{}, locally(state, "*.lan"))
	if _, err := handshake(t, again.TLSConfig("http/1.1"), root.client("nas.lan")); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(cert, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{}).Prepare(locally(state, "*.lan")); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a broken root: %v", err)
	}
	if text, err := os.ReadFile(cert); err != nil || string(text) != "nonsense" {
		t.Errorf("it was written over: %q, %v", text, err)
	}
	if err := os.RemoveAll(filepath.Dir(cert)); err != nil {
		t.Fatal(err)
	}
	configured(t, Options{}, locally(state, "*.lan"))
}

func TestAgingCertificatesAreReplaced(t *testing.T) {
	m := configured(t, Options{}, locally(t.TempDir(), "*.lan"))
	before := m.current.Load().of("nas.lan")[0]
	m.follow()
	if m.current.Load().of("nas.lan")[0] != before {
		t.Error("a fresh one was replaced")
	}
	aged := *before.Leaf
	aged.NotAfter = aged.NotAfter.Add(-leafLife + leafLeft/2)
	before.Leaf = &aged
	m.follow()
	if after := m.current.Load().of("nas.lan")[0]; after == before || after.Leaf.NotAfter.Before(aged.NotAfter) {
		t.Error("an aging one was not")
	}
}
