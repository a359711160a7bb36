package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/journal"
)

// An engine over SSH is one like any other: what happens there is known at once, by its events. A cut changes nothing
// for those who are served (P8), and a machine that shows another key is not let in, until its key is known.
func TestSSH(t *testing.T) {
	t.Parallel()
	server := enginetest.NewSSHD(t)
	f := launch(t, setup{URL: server.URL(host), Keys: `, identity: "` + server.Identity + `", known_hosts: "` + server.KnownHosts + `"`, Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1, max: 1}}`})
	row := f.awaitReplicas(t, "hello", 1)[0]
	v := f.visitor(t)
	mine := v.get(t, "hello", "/id")
	f.awaitHost(t, "local", admin.HostOK) // a busy engine may have been too slow for a look
	if got := f.host(t, "local"); got.Reach != "published" || !strings.HasPrefix(got.URL, "ssh://") {
		t.Errorf("the host is shown as %+v", got)
	}
	if said := f.command(t, "doctor"); !strings.Contains(said, server.URL(host)+" (hosts.local)") {
		t.Errorf("doctor says %s", said)
	}

	since := f.now(t)
	server.Kill()
	f.awaitHost(t, "local", admin.HostUnknown)
	f.serves(t, v, "hello", mine)
	server.NewHostKey(t)
	theirs, err := os.ReadFile(server.KnownHosts)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	enginetest.MakeKey(t, other, "ed25519", "")
	server.Vouch(t, other)
	server.Start(t)
	eventually(t, "the refusal of another key", func() string {
		if got := f.host(t, "local"); !strings.Contains(got.Error, "host key has changed") {
			return got.Error
		}
		return ""
	})
	f.serves(t, v, "hello", mine)
	if err := os.WriteFile(server.KnownHosts, theirs, 0o600); err != nil {
		t.Fatal(err)
	}
	f.awaitHost(t, "local", admin.HostOK)
	f.never(t, since, "hello", journal.ReplicaReaped, journal.RestartDetected, journal.ReplicaStarted)
	f.outside.remove(row.Container)
	f.await(t, since, "hello", journal.ReplicaReaped)
	f.awaitReplicas(t, "hello", 1)
	f.only(t, "hello")
}

// serves fails unless that replica answers, again and again.
func (f *fairlead) serves(t *testing.T, v *visitor, app, want string) {
	t.Helper()
	for range 5 {
		if got := v.get(t, app, "/id"); got != want {
			t.Errorf("served by %q, want %s", got, want)
		}
	}
}

// P8 over SSH, where the other side is there and says nothing.
func TestSSHSilent(t *testing.T) {
	t.Parallel()
	server := enginetest.NewSSHD(t)
	f := launch(t, setup{URL: server.URL(host), Keys: `, identity: "` + server.Identity + `", known_hosts: "` + server.KnownHosts + `"`, Apps: `
  hello: {route: {host: hello.test}}`})
	v := f.visitor(t)
	mine := v.get(t, "hello", "/id")
	f.awaitHost(t, "local", admin.HostOK)
	since := f.now(t)
	began := time.Now()
	server.Signal(syscall.SIGSTOP)
	f.awaitHost(t, "local", admin.HostUnknown)
	f.serves(t, v, "hello", mine)
	f.awaitHost(t, "local", admin.HostOK) // over a new connection, since the old one stays stopped
	t.Logf("recovered from a half-open connection after %s", time.Since(began).Round(time.Second))
	f.never(t, since, "hello", journal.ReplicaReaped, journal.RestartDetected, journal.ReplicaStarted)
	f.serves(t, v, "hello", mine)
}

// A Docker behind TLS with client certificates serves who has one, and a host that has none is told why.
func TestTLS(t *testing.T) {
	t.Parallel()
	need(t, "dockerd", "ip")
	dir, address := t.TempDir(), freeAddress(t)
	ours, theirs := newAuthority(t, dir, "ours"), newAuthority(t, dir, "theirs")
	ours.issue(t, "server")
	ours.issue(t, "client")
	theirs.issue(t, "stranger")
	s := newSecond(t, docker, "--host", "tcp://"+address, "--tlsverify", "--tlscacert", dir+"/ours.pem",
		"--tlscert", dir+"/server.pem", "--tlskey", dir+"/server.key")
	far := func(client string) setup {
		return setup{Hosts: `  far: {url: "tcp://` + address + `", tls: {ca: "` + dir + `/ours.pem", cert: "` + dir + `/` + client +
			`.pem", key: "` + dir + `/` + client + `.key"}}`, Apps: `
  near: {route: {host: near.test}, hosts: local}
  far: {route: {host: far.test}, hosts: far}`}
	}
	f := launch(t, far("stranger"))
	v := f.visitor(t)
	v.get(t, "near", "/id")
	if got := f.host(t, "far"); got.State != admin.HostUnknown || !strings.Contains(got.Error, "certificate") {
		t.Errorf("without the right certificate the host is shown as %+v", got)
	}
	far("client").write(t, f)
	mine := v.get(t, "far", "/id")
	f.awaitHost(t, "far", admin.HostOK)
	if got := f.host(t, "far"); got.Reach != "published" || got.Engine != docker {
		t.Errorf("the host is shown as %+v", got)
	}
	since := f.now(t)
	newOutside(t, s.url).remove(f.row(t, "far").Container)
	f.await(t, since, "far", journal.ReplicaReaped)
	if v.get(t, "far", "/id") == mine {
		t.Error("served by a container that is gone")
	}
}

// authority issues certificates for 127.0.0.1, as files NAME.pem and NAME.key in a directory.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{dir: dir}
	a.cert, a.key = a.make(t, name, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
	return a
}

func (a *authority) issue(t *testing.T, name string) {
	t.Helper()
	a.make(t, name, func(c *x509.Certificate) {
		c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	})
}

// make signs with the authority's key, or, while there is none, with its own.
func (a *authority) make(t *testing.T, name string, edit func(*x509.Certificate)) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	edit(cert)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = cert, key
	}
	signed, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	a.file(t, name+".pem", "CERTIFICATE", signed)
	a.file(t, name+".key", "EC PRIVATE KEY", secret)
	return cert, key
}

func (a *authority) file(t *testing.T, name, kind string, raw []byte) {
	t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw})
	if err := os.WriteFile(filepath.Join(a.dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}
