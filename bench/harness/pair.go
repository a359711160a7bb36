package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Pair is a certificate and its key, as files.
type Pair struct {
	Cert, Key string
	Both      string // in one, as haproxy wants it
}

// Pair makes one of P-256 for 127.0.0.1, which nobody has signed.
func (r *Run) Pair() (p Pair, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return p, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return p, fmt.Errorf("make a certificate: %w", err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return p, fmt.Errorf("write its key: %w", err)
	}
	return r.keepPair(pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", raw))
}

func (r *Run) keepPair(cert, key string) (p Pair, err error) {
	for _, f := range []struct {
		path       *string
		name, text string
	}{{&p.Cert, "cert.pem", cert}, {&p.Key, "key.pem", key}, {&p.Both, "both.pem", cert + key}} {
		if *f.path, err = r.Write(f.name, f.text); err != nil {
			return p, err
		}
	}
	return p, nil
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
