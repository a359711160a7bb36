package certs

import (
	"testing"

	"github.com/fairlead/fairlead/conf"
)

func TestWhatAConnectionCovers(t *testing.T) {
	a := newAuthority(t)
	fallback := a.issue("fallback", "fallback.example.org")
	certificates := []conf.Cert{a.issue("both", "one.example.org", "two.example.org"), a.issue("star", "*.example.net"), a.issue("alone", "alone.example.org")}
	strict := configured(t, Options{}, files(append(certificates, fallback)...))
	fallback.Fallback = true
	loose := configured(t, Options{}, files(append(certificates, fallback)...))
	for _, c := range []struct {
		server, host  string
		strict, loose bool
	}{
		{"one.example.org", "two.example.org", true, true},
		{"one.example.org", "TWO.example.org.", true, true},
		{"a.example.net", "b.example.net", true, true},
		{"a.example.net", "b.a.example.net", false, false},
		{"one.example.org", "alone.example.org", false, false},
		{"one.example.org", "unknown.example.org", false, false},
		{"unknown.example.org", "alone.example.org", false, false},
		{"unknown.example.org", "other.example.org", false, true}, // both get the fallback
		{"unknown.example.org", "fallback.example.org", false, true},
		{"", "192.0.2.1", true, true}, // an address is never asked for by name
		{"", "alone.example.org", false, false},
		{"", "unknown.example.org", false, true},
	} {
		if got := strict.Covers(c.server, c.host); got != c.strict {
			t.Errorf("%q for %q: got %v", c.server, c.host, got)
		}
		if got := loose.Covers(c.server, c.host); got != c.loose {
			t.Errorf("with a fallback, %q for %q: got %v", c.server, c.host, got)
		}
	}
	for host, want := range map[string]bool{"one.example.org": true, "x.example.net": true, "unknown.example.org": false} {
		if got := loose.Has(host); got != want {
			t.Errorf("has %s: got %v", host, got)
		}
	}
}
