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
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fairlead/fairlead/atomicfile"
	"github.com/fairlead/fairlead/conf"
)

const (
	rootLife = 10 * 365 * 24 * time.Hour
	leafLife = 90 * 24 * time.Hour // Apple's systems refuse more than 825 days
	leafLeft = 30 * 24 * time.Hour // then there is another
)

// local is an authority of our own, for names that no public one knows. Whoever adds its root to what he trusts trusts
// what we issue. The root stands in the state directory; what it issues is made anew in each run.
type local struct {
	root *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // of the root, for people
}

func localFiles(state string) (cert, key string) {
	dir := filepath.Join(state, "local-ca")
	return filepath.Join(dir, "root.crt"), filepath.Join(dir, "root.key")
}

// loadLocal makes the authority the first time. Files that hold none are an error and stay: somebody may trust them.
func loadLocal(state string) (*local, error) {
	certFile, keyFile := localFiles(state)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeLocal(certFile, keyFile); err != nil {
			return nil, fmt.Errorf("make the local authority: %w", err)
		}
		pair, err = tls.LoadX509KeyPair(certFile, keyFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read the local authority: %w", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("read the local authority: %s is not one that Fairlead made", certFile)
	}
	return &local{root: pair.Leaf, key: key, file: certFile}, tighten(filepath.Dir(certFile))
}

// makeLocal writes the key last: with a root alone, as a crash leaves it, the next run begins again.
func makeLocal(certFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	template := &x509.Certificate{
		Subject: pkix.Name{Organization: []string{"Fairlead"}, CommonName: strings.TrimSpace("Fairlead local authority " + host)},
		IsCA:    true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := signed(template, template, key, key, rootLife)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(certFile), 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})); err != nil {
		return err
	}
	return atomicfile.Write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func signed(template, by *x509.Certificate, of, with *ecdsa.PrivateKey, life time.Duration) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, now.Add(-time.Hour), now.Add(life) // clocks differ
	return x509.CreateCertificate(rand.Reader, template, by, of.Public(), with)
}

// issue makes one certificate for all of the names.
func (l *local) issue(names []string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	raw, err := signed(template, l.root, key, l.key, leafLife)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key, Leaf: leaf}, nil
}

// issueFor makes a certificate for each name of tls.local_ca. The hosts of routes that a star covers are named as well:
// browsers do not take a star right above the root, as in *.lan.
func (l *local) issueFor(c *conf.Config) (list []*tls.Certificate, err error) {
	for _, name := range c.TLS.LocalCA {
		names := []string{canonical(name)}
		if parent, star := strings.CutPrefix(names[0], "*."); star {
			names = append(names, hostsUnder(c, parent)...)
		}
		made, err := l.issue(names)
		if err != nil {
			return nil, fmt.Errorf("issue a certificate for %s: %w", name, err)
		}
		list = append(list, made)
	}
	return list, nil
}

func hostsUnder(c *conf.Config, parent string) (hosts []string) {
	for _, app := range c.Apps {
		for _, r := range app.Routes {
			if _, rest, _ := strings.Cut(canonical(r.Host), "."); rest == parent {
				hosts = append(hosts, canonical(r.Host))
			}
		}
	}
	return hosts
}

// ages says whether a certificate should be followed by another one.
func ages(list []*tls.Certificate) bool {
	for _, c := range list {
		if time.Until(c.Leaf.NotAfter) < leafLeft {
			return true
		}
	}
	return false
}
