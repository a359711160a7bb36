package certs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/libdns/duckdns"
	"github.com/libdns/libdns"
	"go.uber.org/zap"

	"github.com/fairlead/fairlead/conf"
)

// The configuration knows the same providers, and each asks for exactly the keys that it may have there.
func TestProvidersAreTheConfigurations(t *testing.T) {
	if known := conf.DNSProviders(); len(known) != len(providers) {
		t.Errorf("%d can be made of %v", len(providers), known)
	}
	for _, name := range conf.DNSProviders() {
		var asked []string
		made := providers[name](func(key string) string {
			asked = append(asked, key)
			return ""
		})
		keys, _ := conf.DNSKeys(name)
		slices.Sort(keys)
		if slices.Sort(asked); made == nil || !slices.Equal(asked, keys) {
			t.Errorf("%s asks for %v, and may have %v", name, asked, keys)
		}
	}
}

func TestServersHaveAPort(t *testing.T) {
	for server, want := range map[string]string{
		"ns.example.org": "ns.example.org:53", "192.0.2.1:5353": "192.0.2.1:5353", "::1": "[::1]:53", "[::1]": "[::1]:53", "[::1]:5353": "[::1]:5353",
	} {
		if got := withPort(server); got != want {
			t.Errorf("%s: got %s", server, got)
		}
	}
}

func TestSolver(t *testing.T) {
	if solverOf(nil, zap.NewNop()) != nil {
		t.Error("there is one without a configuration")
	}
	for timeout, want := range map[time.Duration]time.Duration{0: -1, time.Minute: time.Minute} {
		config := &conf.DNS{Provider: "desec", Timeout: timeout, Delay: time.Second, Resolvers: []string{"192.0.2.1"}}
		got := solverOf(config, zap.NewNop()).(*certmagic.DNS01Solver)
		if got.PropagationTimeout != want || got.PropagationDelay != time.Second || !slices.Equal(got.Resolvers, config.Resolvers) {
			t.Errorf("%v: got %v, %v, %v", timeout, got.PropagationTimeout, got.PropagationDelay, got.Resolvers)
		}
	}
}

// libdns/duckdns v0.3.0 says the token where it is not as long as it should be.
func TestErrorsHaveNoSecret(t *testing.T) {
	config := &conf.DNS{Keys: map[string]conf.Secret{"api_token": conf.NewSecret("s3cret")}}
	d := newDiscreet(&duckdns.Provider{APIToken: "s3cret"}, config.Secrets())
	records := []libdns.Record{libdns.TXT{Name: "_acme-challenge.a", Text: "x"}}
	for _, call := range []change{d.AppendRecords, d.DeleteRecords} {
		_, err := call(t.Context(), "duckdns.org.", records)
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "(secret)") {
			t.Errorf("got %v", err)
		}
	}
}

// failing is a provider that says what it has got.
type failing struct {
	certmagic.DNSProvider
	said error
}

func (f failing) AppendRecords(ctx context.Context, _ string, _ []libdns.Record) ([]libdns.Record, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("it may take for ever")
	}
	return nil, f.said
}

func TestSecretsAreHiddenWhole(t *testing.T) {
	for said, want := range map[error]string{
		errors.New("GET /?token=a%2Fb%2Bc&x=a/b+c: a/b"): "GET /?token=(secret)&x=(secret): (secret)",
		context.Canceled: "context canceled",
	} {
		d := newDiscreet(failing{said: said}, []string{"a/b+c", "a/b"})
		_, err := d.AppendRecords(t.Context(), "", nil)
		if err == nil || err.Error() != want || errors.Is(err, context.Canceled) != errors.Is(said, context.Canceled) {
			t.Errorf("%v: got %v", said, err)
		}
	}
}

// What a star's certificate is served for, before it is there and then.
func TestNamesThatAStarIsGotFor(t *testing.T) {
	s := &set{issuing: map[string]bool{"*.apps.example.org": true, "one.example.org": true}}
	for name, want := range map[string]string{
		"a.apps.example.org": "*.apps.example.org", "*.apps.example.org": "*.apps.example.org", "one.example.org": "one.example.org",
		"a.b.apps.example.org": "", "apps.example.org": "", "*.a.apps.example.org": "", "*.example.org": "", "": "",
	} {
		if got := s.subject(name); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, c := range []struct {
		server, host string
		want         bool
	}{
		{"a.apps.example.org", "b.apps.example.org", true}, // one certificate
		{"a.apps.example.org", "one.example.org", false},
		{"one.example.org", "a.apps.example.org", false},
		{"a.apps.example.org", "apps.example.org", false},
		{"one.example.org", "one.example.org", true},
	} {
		if got := s.covers(c.server, c.host); got != c.want {
			t.Errorf("%s for %s: got %v", c.server, c.host, got)
		}
	}
}
