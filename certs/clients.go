package certs

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// authorities are the certificates in a file; who has one of them in his chain is a client that the file's routes admit.
type authorities struct {
	file   string
	certs  []*x509.Certificate
	known  map[string]bool // by their bytes
	seen   stamp
	failed stamp
}

func (a *authorities) read() error {
	now := stampOf(a.file)
	text, err := os.ReadFile(a.file)
	if err != nil {
		return fmt.Errorf("read the clients' authorities: %w", err)
	}
	found, err := certificatesIn(text)
	if err != nil {
		return fmt.Errorf("read the clients' authorities in %s: %w", a.file, err)
	}
	a.certs, a.seen, a.known = found, now, map[string]bool{}
	for _, c := range found {
		a.known[string(c.Raw)] = true
	}
	return nil
}

func certificatesIn(text []byte) (found []*x509.Certificate, err error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	if len(found) == 0 {
		return nil, errNoCertificate
	}
	return found, nil
}

// follow reads the file again if it is another, and reports whether it says something else now.
func (a *authorities) follow(log *slog.Logger) bool {
	now := stampOf(a.file)
	if now.same(a.seen) || now.same(a.failed) {
		return false
	}
	if err := a.read(); err != nil {
		a.failed = now
		log.Warn("changed authorities of clients cannot be used; those before stay in use", "file", a.file, "error", err)
		return false
	}
	log.Info("authorities of clients renewed", "file", a.file)
	return true
}

// asked are the authorities of the routes of each host, by its name: who connects for it is asked for a certificate.
func asked(c *conf.Config, files map[string]*authorities) map[string]*x509.CertPool {
	pools := map[string]*x509.CertPool{}
	for _, app := range c.Apps {
		for _, r := range app.Routes {
			if r.ClientCA == "" {
				continue
			}
			host := canonical(r.Host)
			if pools[host] == nil {
				pools[host] = x509.NewCertPool()
			}
			for _, cert := range files[r.ClientCA].certs {
				pools[host].AddCert(cert)
			}
		}
	}
	return pools
}

// ask is the configuration of a handshake for a host that asks its clients for a certificate. It takes none for an answer:
// whether one is needed is the route's affair. Sessions are not resumed there, for a ticket of another host would stand
// for a certificate that was never shown.
func ask(base *tls.Config, pool *x509.CertPool) *tls.Config {
	own := base.Clone()
	own.ClientAuth, own.ClientCAs = tls.VerifyClientCertIfGiven, pool
	own.SessionTicketsDisabled = true
	own.GetConfigForClient = nil
	return own
}

// Admits says whether one of the authorities in the file, as it is now, stands behind the client of a handshake. The
// handshake has verified the signatures.
func (m *Manager) Admits(file string, handshake *tls.ConnectionState) bool {
	from := m.current.Load().authorities[file]
	if from == nil {
		return false
	}
	for _, chain := range handshake.VerifiedChains {
		if time.Now().After(chain[0].NotAfter) {
			continue
		}
		for _, c := range chain {
			if from[string(c.Raw)] {
				return true
			}
		}
	}
	return false
}
