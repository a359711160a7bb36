package conf

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certified writes a certificate for a name, and its key, and returns a directory with both.
func certified(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file, block := range map[string]*pem.Block{"a.crt": {Type: "CERTIFICATE", Bytes: raw}, "a.key": {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loadIn loads a configuration that stands in a directory, so that relative paths are found there.
func loadIn(t *testing.T, dir, text string) (*Config, error) {
	t.Helper()
	file := filepath.Join(dir, "fairlead.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Source{Paths: []string{file}, Environ: testEnviron})
}

func TestCertificatesAreReadWithTheConfiguration(t *testing.T) {
	dir := certified(t, "example.org")
	config, err := loadIn(t, dir, `
listen: {https: [":8443", "127.0.0.1:9443"], public: {https: 443}}
tls: {certs: {cert: a.crt, key: a.key, fallback: true}}
defaults: {https: redirect, hsts: 365d}
apps: {one: {image: a, port: 1, route: [{path: /}, {host: Example.org, path: /members, client_ca: a.crt}]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Cert{filepath.Join(dir, "a.crt"), filepath.Join(dir, "a.key"), true}); config.TLS.Certs[0] != want {
		t.Errorf("got %+v", config.TLS.Certs)
	}
	app := config.Apps["one"]
	if app.Routes[1].ClientCA != filepath.Join(dir, "a.crt") || app.HTTPS != "redirect" || app.HSTS != 365*24*time.Hour {
		t.Errorf("got %+v", app)
	}
	if got := config.Listen.HTTPSPort(); got != 443 {
		t.Errorf("the outside sees port %d", got)
	}
}

func TestHostsWithoutACertificateAreTold(t *testing.T) {
	dir := certified(t, "example.org")
	const text = `
listen: {https: ":8443"}
tls: {certs: {cert: a.crt, key: a.key%s}, local_ca: ["*.Lan"]}
apps: {one: {image: a, port: 1, route: [{host: example.org}, {host: nas.lan}, {host: a.example.org}, {path: /}]}}
`
	config, err := loadIn(t, dir, fmt.Sprintf(text, ""))
	if err != nil {
		t.Fatal(err)
	}
	if w := config.Warnings(); len(w) != 1 || w[0].Key != "apps.one.route.2.host" || w[0].Line != 4 {
		t.Errorf("got %v", w)
	}
	if config, err = loadIn(t, dir, fmt.Sprintf(text, ", fallback: true")); err != nil || len(config.Warnings()) != 0 {
		t.Errorf("with a fallback: %v, %v", config.Warnings(), err)
	}
}

func TestCertificatesThatCannotBeUsedAreTold(t *testing.T) {
	dir := certified(t, "example.org")
	other, err := os.ReadFile(filepath.Join(certified(t, "example.org"), "a.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.key"), other, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = loadIn(t, dir, "listen: {https: \":1\"}\ntls: {certs: {cert: a.crt, key: b.key}}\n")
	problems, _ := AsErrors(err)
	if len(problems) != 1 || problems[0].Key != "tls.certs" || problems[0].Line != 2 || !strings.Contains(problems[0].Message, "does not match") {
		t.Errorf("got %v", err)
	}
}
