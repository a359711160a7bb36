package trust

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// Settings say by what an app is known, and what it is shown. They can be compared.
type Settings struct {
	// Name is asked for (SNI), and the certificate must be for it. It may be an address, which is not asked for. Empty: any
	// name will do, if one of Roots has signed it.
	Name       string
	Roots      string // PEM, of the authorities; empty: the system's
	Unverified bool   // any certificate will do
	Cert, Key  string // PEM, for an app that asks who we are; empty: we have none
}

var (
	errNobody = errors.New("neither a name nor authorities to know the app by")
	errRoots  = errors.New("the authorities hold no certificate")
)

// Config is for Shake, and for probes. It speaks HTTP/1.1 alone, and 1.2 is the least version (RFC 9325, section 3.1.1).
func (s Settings) Config() (*tls.Config, error) {
	if s.Name == "" && s.Roots == "" && !s.Unverified {
		return nil, errNobody
	}
	config := &tls.Config{
		ServerName: s.Name, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
		DynamicRecordSizingDisabled: true, // which is for slow and far clients
	}
	if s.Roots != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(s.Roots)) {
			return nil, errRoots
		}
	}
	if s.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(s.Cert), []byte(s.Key))
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	switch {
	case s.Unverified:
		config.InsecureSkipVerify = true
	case s.Name == "":
		config.InsecureSkipVerify = true // crypto/tls knows no verification without a name
		config.VerifyConnection = signed{config.RootCAs}.verify
	}
	return config, nil
}

// signed verifies all of a certificate but its name. Of a resumed session, too.
type signed struct{ by *x509.CertPool }

func (s signed) verify(state tls.ConnectionState) error {
	chain := state.PeerCertificates
	options := x509.VerifyOptions{Roots: s.by, Intermediates: x509.NewCertPool()}
	for _, between := range chain[1:] {
		options.Intermediates.AddCert(between)
	}
	if _, err := chain[0].Verify(options); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: chain, Err: err}
	}
	return nil
}
