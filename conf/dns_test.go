package conf

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// answering is a configuration whose authority asks in the DNS.
func answering(dns string) string {
	return minimal + "listen: {https: \":8443\"}\ntls: {acme: {dns: {" + dns + "}}}\n"
}

func TestKeysOfAProvider(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := loaded(t, answering(fmt.Sprintf("provider: cloudflare, api_token: {file: %q}, zone_token: \"${ZONE}\"", file)), "ZONE=from a variable").TLS.ACME.DNS
	want := &DNS{Provider: "cloudflare", Timeout: 2 * time.Minute,
		Keys: map[string]Secret{"api_token": NewSecret("from a file"), "zone_token": NewSecret("from a variable")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v with %q and %q", got, got.Keys["api_token"].Reveal(), got.Keys["zone_token"].Reveal())
	}
	if got := got.Secrets(); !slices.Equal(got, []string{"from a variable", "from a file"}) {
		t.Errorf("secrets: %q", got)
	}
	got = loaded(t, answering("provider: rfc2136, server: 192.0.2.1, key_name: k, key: c2VjcmV0, propagation_delay: 5s, propagation_timeout: 0, resolvers: \"[::1]:5353\"")).TLS.ACME.DNS
	if got.Delay != 5*time.Second || got.Timeout != 0 || !slices.Equal(got.Resolvers, []string{"[::1]:5353"}) {
		t.Errorf("got %+v", got)
	}
	if got := got.Secrets(); !slices.Equal(got, []string{"c2VjcmV0"}) {
		t.Errorf("secrets: %q", got)
	}
}

// P10. No message shows what was given: it may be a secret.
func TestKeysThatAreWrong(t *testing.T) {
	const key = "tls.acme.dns"
	for dns, want := range map[string]Problem{
		"":                                         {Key: key, Message: "provider is missing", Hint: "known here: acmedns, cloudflare,"},
		"provider: route53, region: s3cret":        {Key: key + ".provider", Message: `unknown provider "route53"`, Hint: "known here: acmedns, cloudflare,"},
		"provider: cloudflare":                     {Key: key, Message: "api_token is missing", Hint: "provider cloudflare needs api_token"},
		"provider: cloudflare, api_token: \"\"":    {Key: key + ".api_token", Message: "is empty"},
		"provider: cloudflare, token: s3cret":      {Key: key + ".token", Message: "unknown key", Hint: "known here: api_token, propagation_delay,"},
		"provider: gandi, api_token: s3cret":       {Key: key + ".api_token", Message: "unknown key", Hint: "known here: bearer_token,"},
		"provider: desec, token: {file: /s3cret/}": {Key: key + ".token.file", Message: "read the secret: "},
		"provider: duckdns, api_token: s3cret":     {Key: key + ".api_token", Message: "expected 36 characters"},
		"provider: acmedns, server_url: ftp://s3cret, username: a, password: b, subdomain: c":         {Key: key + ".server_url", Message: "expected an https://"},
		"provider: rfc2136, server: \"a:b:c\", key_name: k, key: c2VjcmV0":                            {Key: key + ".server", Message: "expected HOST or HOST:PORT"},
		"provider: rfc2136, server: a, key_name: k, key: s3cret!":                                     {Key: key + ".key", Message: "expected base64"},
		"provider: rfc2136, server: a, key_name: k, key: c2VjcmV0, key_alg: md5":                      {Key: key + ".key_alg", Message: "expected hmac-sha1,"},
		"provider: ovh, endpoint: s3cret, application_key: a, application_secret: b, consumer_key: c": {Key: key + ".endpoint", Message: "expected ovh-eu,"},
		"provider: desec, token: a, resolvers: [9.9.9.9, \"a b\"]":                                    {Key: key + ".resolvers.1", Message: `expected HOST or HOST:PORT, got "a b"`},
		"provider: desec, token: a, propagation_timeout: never":                                       {Key: key + ".propagation_timeout", Message: "expected a duration"},
		"provider: desec, token: a, delay_before_check: 5s":                                           {Key: key + ".delay_before_check", Message: "unknown key", Hint: "here it is called propagation_delay"},
	} {
		got := refused(t, answering(dns))
		if got.Key != want.Key || !strings.HasPrefix(got.Message, want.Message) || !strings.HasPrefix(got.Hint, want.Hint) || got.Line == 0 {
			t.Errorf("%s: got %v", dns, got)
		}
		if strings.Contains(got.Message+got.Hint, "s3cret") && got.Key != key+".token.file" {
			t.Errorf("%s: shown in %v", dns, got)
		}
	}
}

func TestServers(t *testing.T) {
	for text, want := range map[string]bool{
		"192.0.2.1": true, "192.0.2.1:53": true, "::1": true, "[::1]": true, "[::1]:53": true, "ns.Example.org:53": true, "ns": true,
		"": false, "a:0": false, "a:b": false, "a b": false, "https://a": false, "[a]": false, ":53": false,
	} {
		if isServer(text) != want {
			t.Errorf("%q: got %v", text, !want)
		}
	}
}

func TestHostsWithAStar(t *testing.T) {
	const app = "apps: {one: {image: a, port: 1, route: {host: %s}}}\nlisten: {https: \":1\"}\ntls: {acme: {%s}}\n"
	const dns = "dns: {provider: desec, token: a}"
	if got := loaded(t, fmt.Sprintf(app, `"*.Example.org."`, dns)).Apps["one"].Routes[0].Host; got != "*.example.org" {
		t.Errorf("got %q", got)
	}
	for _, host := range []string{`"*"`, `"a.*.org"`, `"*.*.org"`, `"*.a b"`, `"*."`} {
		got := refused(t, fmt.Sprintf(app, host, dns))
		if got.Key != "apps.one.route.host" || !strings.HasPrefix(got.Message, "a * stands for the first part") {
			t.Errorf("%s: got %v", host, got)
		}
	}
	loaded(t, `apps: {one: {image: a, port: 1, route: {host: "*.example.org"}}}`) // in front of it others may do TLS
	got := refused(t, fmt.Sprintf(app, `"*.example.org"`, ""))
	if !strings.Contains(got.Message, "no certificate for a host with *") || !strings.Contains(got.Hint, "tls.acme.dns") {
		t.Errorf("without: %v", got)
	}
}

// Whoever shows a certificate has done so for one host.
func TestAStarAsksNoClients(t *testing.T) {
	_, err := loadIn(t, certified(t, "example.org"), `
listen: {https: ":8443"}
tls: {acme: {dns: {provider: desec, token: a}}}
apps: {one: {image: a, port: 1, route: {host: "*.example.org", client_ca: a.crt}}}
`)
	problems, _ := AsErrors(err)
	if len(problems) != 1 || problems[0].Key != "apps.one.route.client_ca" || problems[0].Hint != "write each name" {
		t.Errorf("got %v", err)
	}
}

func TestAnotherKeyIsAnotherSetting(t *testing.T) {
	one, other := loaded(t, answering("provider: desec, token: a")), loaded(t, answering("provider: desec, token: b"))
	if d := Difference(one, other); !d.Settings || Difference(one, loaded(t, answering("provider: desec, token: a"))).Settings {
		t.Errorf("got %+v", d)
	}
}
