package main

import (
	"crypto/tls"
	"fmt"
	"net"
)

// secured puts TLS on the listener, if the settings have a certificate.
func (s settings) secured(listener net.Listener) (net.Listener, error) {
	if s.cert == "" {
		return listener, nil
	}
	pair, err := tls.X509KeyPair([]byte(s.cert), []byte(s.key))
	if err != nil {
		return nil, fmt.Errorf("read DEMO_TLS_CERT: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}}), nil
}
