// Package issuer is an authority that tests make their certificates with.
package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// Issuer is one authority.
type Issuer struct {
	Roots string // PEM, to know what it has issued

	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New makes an authority of its own kind.
func New(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: serial(t), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	i.cert = i.sign(template, template, &i.key.PublicKey)
	i.Roots = encode("CERTIFICATE", i.cert.Raw)
	return i
}

// Pair is a certificate and its key, in PEM.
type Pair struct{ Cert, Key string }

// Issue makes a certificate for names, which may be addresses.
func (i *Issuer) Issue(names ...string) Pair { return i.issue(time.Now().Add(24*time.Hour), names) }

// Expired is one that was good until an hour ago.
func (i *Issuer) Expired(names ...string) Pair { return i.issue(time.Now().Add(-time.Hour), names) }

func (i *Issuer) issue(until time.Time, names []string) Pair {
	i.t.Helper()
	key := newKey(i.t)
	template := &x509.Certificate{
		SerialNumber: serial(i.t), Subject: pkix.Name{CommonName: names[0]},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		i.t.Fatal(err)
	}
	cert := i.sign(template, i.cert, &key.PublicKey)
	return Pair{encode("CERTIFICATE", cert.Raw), encode("PRIVATE KEY", der)}
}

func (i *Issuer) sign(template, by *x509.Certificate, key *ecdsa.PublicKey) *x509.Certificate {
	i.t.Helper()
	raw, err := x509.CreateCertificate(rand.Reader, template, by, key, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		i.t.Fatal(err)
	}
	return cert
}

// Pool is of those that the authority has issued for.
func (i *Issuer) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(i.cert)
	return pool
}

// Server is what an app serves with that has the pair.
func (p Pair) Server(t testing.TB) *tls.Config {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(p.Cert), []byte(p.Key))
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func serial(t testing.TB) *big.Int {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
