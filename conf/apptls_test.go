package conf

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// By whom an app that speaks https is known, and where it is.
func TestAppsKnownOverTLS(t *testing.T) {
	config := loaded(t, `
apps:
  api: {upstream: "https://api.internal", route: {path: /api}}
  port: {upstream: "https://10.0.0.7:8443", route: {path: /port}}
  named: {upstream: "https://10.0.0.7", route: {path: /named}, tls: {server_name: Api.Internal.}}
  any: {image: a, port: 1, protocol: https, route: {path: /any}, tls: {verify: false}}
  plain: {upstream: "http://api.internal", route: {path: /plain}}
`)
	for name, want := range map[string]string{
		"api": "https api.internal 443 true", "port": "https 10.0.0.7 8443 true", "named": "https api.internal 443 true",
		"any": "https  1 false", "plain": "http api.internal 80 true",
	} {
		app := config.Apps[name]
		if got := fmt.Sprint(app.Protocol, " ", app.KnownAs(), " ", app.Port, " ", app.TLS.Verify); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// The files are read with the configuration: what another one holds is a change of the app, though no key is another.
func TestAppTLSFilesAreRead(t *testing.T) {
	dir := certified(t, "fairlead")
	text := `
defaults: {tls: {ca: a.crt, cert: a.crt, key: a.key}}
apps: {one: {image: a, port: 1, protocol: https, route: {path: /}}}
`
	before, err := loadIn(t, dir, text)
	if err != nil {
		t.Fatal(err)
	}
	if app := before.Apps["one"]; app.TLS.CA != filepath.Join(dir, "a.crt") || app.TLS.Roots == "" || app.TLS.Roots != app.TLS.CertPEM ||
		app.TLS.KeyPEM.Empty() {
		t.Errorf("got %+v", app.TLS)
	}
	other, err := os.ReadFile(filepath.Join(certified(t, "other"), "a.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), []byte(before.Apps["one"].TLS.Roots), 0o600); err != nil {
		t.Fatal(err)
	}
	text = `
defaults: {tls: {ca: ca.crt}}
apps: {one: {image: a, port: 1, protocol: https, route: {path: /}}}
`
	before, err = loadIn(t, dir, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), other, 0o600); err != nil {
		t.Fatal(err)
	}
	after, err := loadIn(t, dir, text)
	if err != nil {
		t.Fatal(err)
	}
	if d := Difference(before, after); len(d.Changed) != 1 {
		t.Errorf("got %+v", d)
	}
}
