package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// answersInDNS is a setup whose authority asks in the DNS: over HTTP and TLS it reaches nobody.
type answersInDNS struct {
	server    *nameserver
	authority *pebble
	httpPort  int
	httpsPort int
	keyFile   string
}

func newAnswersInDNS(t *testing.T) *answersInDNS {
	t.Helper()
	ports := freePorts(t, 4)
	a := &answersInDNS{
		server: startNameserver(t, "example.org."), authority: newPebble(t),
		httpPort: ports[0], httpsPort: ports[1], keyFile: filepath.Join(t.TempDir(), "key"),
	}
	a.authority.serve(t, a.server.address, ports[2], ports[3])
	a.writeKey(t, a.server.key)
	return a
}

func (a *answersInDNS) writeKey(t *testing.T, key string) {
	t.Helper()
	if err := os.WriteFile(a.keyFile, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (a *answersInDNS) setup() setup {
	return setup{
		HTTP: fmt.Sprintf("127.0.0.1:%d", a.httpPort), Listen: fmt.Sprintf(`, https: "127.0.0.1:%d"`, a.httpsPort),
		Top: fmt.Sprintf("tls: {acme: {directory: %q, ca: %q, dns: {provider: rfc2136, server: %q, key_name: %s, key: {file: %q}, resolvers: %q}}}",
			a.authority.directory, a.authority.roots, a.server.address, a.server.keyName, a.keyFile, a.server.address),
		Apps: `
  stars: {route: [{host: "*.apps.example.org"}, {host: alone.example.org}]}
  named: {route: {host: named.apps.example.org}}
`,
	}
}

func TestCertificatesOverTheDNS(t *testing.T) {
	t.Parallel()
	a := newAnswersInDNS(t)
	f := launch(t, a.setup())
	star := awaitCertificate(t, a.httpsPort, "a.apps.example.org")
	for name, same := range map[string]bool{"b.apps.example.org": true, "named.apps.example.org": true, "alone.example.org": false} {
		if got := awaitCertificate(t, a.httpsPort, name); (got == star) != same {
			t.Errorf("%s got certificate %s, the star is %s", name, got, star)
		}
	}
	root := a.authority.root(t)
	for host, app := range map[string]string{"a.apps.example.org": "stars", "named.apps.example.org": "named", "alone.example.org": "stars"} {
		if got := curl(t, a.httpsPort, root, "https://"+host+"/"); !strings.HasPrefix(got, "200 ") {
			t.Errorf("%s: %s", host, got)
		}
		if len(f.rows(t, app)) != 1 {
			t.Errorf("%s is not %s", host, app)
		}
	}
	want := fmt.Sprintf("308 https://c.apps.example.org:%d/x", a.httpsPort)
	if got := curl(t, a.httpPort, root, "http://c.apps.example.org/x"); !strings.HasPrefix(got, want) {
		t.Errorf("without TLS: %s, want %s", got, want)
	}
	for _, name := range []string{"a.b.apps.example.org", "apps.example.org", "stranger.example.org"} {
		if got, err := serial(a.httpsPort, name); err == nil {
			t.Errorf("%s got certificate %s", name, got)
		}
	}
	eventually(t, "the records are gone", func() string {
		if there, _, _ := a.server.counted(); there > 0 {
			return strconv.Itoa(there)
		}
		return ""
	})
	if _, written, refused := a.server.counted(); written != 2 || refused != 0 {
		t.Errorf("%d records for two names, %d updates refused", written, refused)
	}
	keptOverRestart(t, f, a.authority, a.httpsPort, "b.apps.example.org", star)
}

// A key that the server does not take is told without it, and tried again later, not at once; the right one is tried when
// the configuration is read again.
func TestWrongKeyForTheDNS(t *testing.T) {
	t.Parallel()
	const wrong = "d3JvbmdXUk9OR3dyb25n"
	a := newAnswersInDNS(t)
	a.writeKey(t, wrong)
	f := launch(t, a.setup())
	eventually(t, "two names are put off", func() string {
		if n := strings.Count(f.process.log.tail(10000), `"msg":"acme: will retry"`); n != 2 {
			return strconv.Itoa(n)
		}
		return ""
	})
	if !strings.Contains(f.process.log.tail(10000), `adding temporary record for zone \"example.org.\": dns response error code \"NOTAUTH\"`) {
		t.Error("the log does not say why")
	}
	if there, written, refused := a.server.counted(); there+written > 0 || refused != 2 {
		t.Errorf("%d of %d records, %d updates refused", there, written, refused)
	}
	if got, err := serial(a.httpsPort, "a.apps.example.org"); err == nil {
		t.Errorf("got certificate %s", got)
	}
	a.writeKey(t, a.server.key)
	since := f.now(t)
	ctx, cancel := bounded()
	defer cancel()
	if err := f.admin.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	f.await(t, since, "", journal.ConfigApplied)
	awaitCertificate(t, a.httpsPort, "a.apps.example.org")
	for _, key := range []string{wrong, a.server.key} {
		if log := f.process.log.tail(10000); strings.Contains(log, key) {
			t.Errorf("the log has the key: %s", log)
		}
	}
}
