package certs

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3/acme"

	"github.com/fairlead/fairlead/conf"
)

func TestNamesForTheAuthority(t *testing.T) {
	c := &conf.Config{TLS: conf.TLS{ACME: &conf.ACME{}}, Apps: map[string]*conf.App{
		"one": {Routes: []conf.Route{{Host: "App.example.org"}, {Host: "app.example.org", Path: "/x"}, {Host: "has.example.org"}}},
		"two": {Routes: []conf.Route{{Path: "/"}, {Host: "192.0.2.1"}, {Host: "[2001:db8::1]"}, {Host: "nas.local"}, {Host: "localhost"}, {TCP: ":1", SNI: "db.example.org"}}},
	}}
	has := func(name string) bool { return name == "has.example.org" }
	if got := acmeNames(c, has, never); !slices.Equal(got, []string{"app.example.org"}) {
		t.Errorf("got %v", got)
	}
	c.TLS.ACME.Directory = "https://ca.local/dir" // may know the names of the house
	if got := acmeNames(c, has, never); !slices.Equal(got, []string{"app.example.org", "localhost", "nas.local"}) {
		t.Errorf("of an authority of one's own: got %v", got)
	}
	c.TLS.ACME = nil
	if got := acmeNames(c, has, never); got != nil {
		t.Errorf("without an authority: got %v", got)
	}
}

// A star's certificate serves what is right under it.
func TestNamesUnderAStar(t *testing.T) {
	c := &conf.Config{TLS: conf.TLS{ACME: &conf.ACME{DNS: &conf.DNS{}}}, Apps: map[string]*conf.App{
		"one": {Routes: []conf.Route{{Host: "*.example.org"}, {Host: "a.example.org"}, {Host: "example.org"}, {Host: "a.b.example.org"}}},
		"two": {Routes: []conf.Route{{Host: "*.b.example.org"}, {Host: "*.has.example.org"}, {Host: "x.has.example.org"}}},
	}}
	has := func(name string) bool { return name == "*.has.example.org" }
	want := []string{"*.b.example.org", "*.example.org", "example.org", "x.has.example.org"}
	if got := acmeNames(c, has, never); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	before := func(name string) bool { return name == "a.example.org" }
	if got := acmeNames(c, has, before); !slices.Contains(got, "a.example.org") || len(got) != len(want)+1 {
		t.Errorf("with a certificate from before: got %v", got)
	}
}

func never(string) bool { return false }

func TestCertificatesFromBeforeAreKnown(t *testing.T) {
	i := newIssuer(conf.ACME{Directory: "https://ca.local/dir"}, nil, t.TempDir(), Ports{}, slog.Default())
	defer i.close()
	key := certmagic.StorageKeys.SiteCert(i.magic.Issuers[0].IssuerKey(), "a.example.org")
	if err := i.magic.Storage.Store(t.Context(), key, []byte("a certificate")); err != nil {
		t.Fatal(err)
	}
	if !i.stored("a.example.org") || i.stored("b.example.org") {
		t.Errorf("a: %v, b: %v", i.stored("a.example.org"), i.stored("b.example.org"))
	}
}

func TestNoEmailIsNoContact(t *testing.T) {
	for given, want := range map[string]int{"mailto:default": 0, "mailto:ops@example.org": 1, "mailto:default@example.org": 1} {
		if got, err := withoutFalseContact(t.Context(), nil, acme.Account{Contact: []string{given}}); err != nil || len(got.Contact) != want {
			t.Errorf("%s: got %v, %v", given, got.Contact, err)
		}
	}
}

// Case B184.
func TestStoreIsForUsAlone(t *testing.T) {
	store := filepath.Join(t.TempDir(), "acme")
	if err := tighten(store); err != nil {
		t.Errorf("there is none yet: %v", err)
	}
	file := filepath.Join(store, "certificates", "key")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{file: 0o666, filepath.Dir(file): 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := tighten(store); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v, %v", path, info.Mode(), err)
		}
	}
}
