package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// authority signs the certificates of a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
	last int64 // serial number
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir(), pool: x509.NewCertPool(), last: 1}
	a.key = newKey(t)
	a.cert = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "the test's authority"}, IsCA: true, BasicConstraintsValid: true,
	}, a.key)
	a.pool.AddCert(a.cert)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign fills in what every certificate has. The authority itself is signed by its own key.
func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	a.t.Helper()
	a.last++
	template.SerialNumber = big.NewInt(a.last)
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent := a.cert
	if parent == nil {
		parent = template
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	made, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return made
}

// issue writes a certificate for names, or addresses, to files.
func (a *authority) issue(file string, names ...string) conf.Cert {
	a.t.Helper()
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	key := newKey(a.t)
	leaf := a.sign(template, key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	c := conf.Cert{Cert: filepath.Join(a.dir, file+".crt"), Key: filepath.Join(a.dir, file+".key")}
	writePEM(a.t, c.Cert, "CERTIFICATE", leaf.Raw)
	writePEM(a.t, c.Key, "PRIVATE KEY", der)
	return c
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// configured is a manager with these certificates.
func configured(t *testing.T, o Options, c *conf.Config) *Manager {
	t.Helper()
	m := New(o)
	apply(t, m, c)
	return m
}

func apply(t *testing.T, m *Manager, c *conf.Config) {
	t.Helper()
	change, err := m.Prepare(c)
	if err != nil {
		t.Fatal(err)
	}
	change.Apply(Ports{})
}

func files(certs ...conf.Cert) *conf.Config { return &conf.Config{TLS: conf.TLS{Certs: certs}} }

// handshake returns what the client saw, and its error.
func handshake(t *testing.T, server, client *tls.Config) (tls.ConnectionState, error) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	var serving sync.WaitGroup
	defer serving.Wait()
	serving.Go(func() {
		conn, err := inner.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = tls.Server(conn, server).Write([]byte("!"))
		_, _ = conn.Read(make([]byte, 1)) // until the client has seen it all
	})
	raw, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	_ = raw.SetDeadline(time.Now().Add(10 * time.Second))
	conn := tls.Client(raw, client)
	_, err = conn.Read(make([]byte, 1)) // the tickets of TLS 1.3 come after the handshake
	return conn.ConnectionState(), err
}

func (a *authority) client(name string) *tls.Config {
	return &tls.Config{ServerName: name, RootCAs: a.pool}
}

// told collects a log.
type told struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *told) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *told) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

func (l *told) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// gotAlert says whether the other side ended the handshake with this alert. crypto/tls does not export their type.
func gotAlert(err error, want tls.AlertError) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error" && remote.Err.Error() == want.Error()
}

const (
	protocolVersion  = tls.AlertError(70) // RFC 8446, section 6
	unrecognizedName = tls.AlertError(112)
)
