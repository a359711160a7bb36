package certs

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// rotation is a manager that follows its files.
type rotation struct {
	*Manager
	t    *testing.T
	a    *authority
	told *told
	conf conf.Cert
}

func newRotation(t *testing.T, c func(*authority) conf.Cert) *rotation {
	t.Helper()
	r := &rotation{t: t, a: newAuthority(t), told: &told{}}
	r.conf = c(r.a)
	r.Manager = configured(t, Options{Log: r.told.logger(), Every: 10 * time.Millisecond}, files(r.conf))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

func plain(a *authority) conf.Cert { return a.issue("app", "app.example.org") }

func (r *rotation) serial() *big.Int {
	r.t.Helper()
	state, err := handshake(r.t, r.TLSConfig("http/1.1"), r.a.client("app.example.org"))
	if err != nil {
		r.t.Fatal(err)
	}
	return state.PeerCertificates[0].SerialNumber
}

func (r *rotation) becomes(serial int64) {
	r.t.Helper()
	eventually(r.t, "the new certificate is served", func() bool { return r.serial().Int64() == serial })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 10 s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Case B136, over TCP: the same configuration serves the new certificate.
func TestChangedFilesAreServed(t *testing.T) {
	r := newRotation(t, plain)
	before := r.serial()
	r.a.issue("app", "app.example.org") // in place
	r.becomes(r.a.last)
	if before.Int64() == r.a.last {
		t.Error("the first was the second already")
	}
	next := r.a.issue("next", "app.example.org") // moved over
	for from, to := range map[string]string{next.Cert: r.conf.Cert, next.Key: r.conf.Key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	r.becomes(r.a.last)
}

// As Kubernetes changes a volume: a symlink in the path is swapped.
func TestSwappedDirectoryIsServed(t *testing.T) {
	var link string
	r := newRotation(t, func(a *authority) conf.Cert {
		link = filepath.Join(a.dir, "..data")
		if err := os.Symlink(a.move(a.issue("app", "app.example.org"), "one"), link); err != nil {
			t.Fatal(err)
		}
		return conf.Cert{Cert: filepath.Join(link, "app.crt"), Key: filepath.Join(link, "app.key")}
	})
	second := r.a.move(r.a.issue("app", "app.example.org"), "two")
	if err := os.Symlink(second, link+"-new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+"-new", link); err != nil {
		t.Fatal(err)
	}
	r.becomes(r.a.last)
}

func (a *authority) move(c conf.Cert, to string) string {
	a.t.Helper()
	dir := filepath.Join(a.dir, to)
	if err := os.Mkdir(dir, 0o700); err != nil {
		a.t.Fatal(err)
	}
	for _, file := range []string{c.Cert, c.Key} {
		if err := os.Rename(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			a.t.Fatal(err)
		}
	}
	return dir
}

func TestBrokenFilesLeaveTheOldOneAndAreToldOnce(t *testing.T) {
	r := newRotation(t, plain)
	before := r.serial()
	const words = "cannot be used"
	breakages := []func() error{
		func() error { return os.WriteFile(r.conf.Cert, []byte("nonsense"), 0o600) },
		func() error { return os.Remove(r.conf.Cert) },
		func() error { return os.Rename(r.a.issue("alien", "app.example.org").Cert, r.conf.Cert) }, // and not its key
	}
	for i, damage := range breakages {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the damage is told", func() bool { return r.told.count(words) == i+1 })
		if got := r.serial(); got.Cmp(before) != 0 {
			t.Errorf("damage %d: serial %v, want %v", i, got, before)
		}
	}
	r.a.issue("app", "app.example.org")
	r.becomes(r.a.last)
	if n := r.told.count(words); n != len(breakages) {
		t.Errorf("told %d times, want %d", n, len(breakages))
	}
}
