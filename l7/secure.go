package l7

import (
	"crypto/tls"
	"encoding/base64"
	"net"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/l7/fields"
)

// Certificates is what the story has to know of TLS.
type Certificates interface {
	// Has says whether a client that asks for this host gets a certificate with its name.
	Has(host string) bool
	// Covers says whether a connection whose client asked for server may carry requests for host.
	Covers(server, host string) bool
	// Admits says whether an authority in the file stands behind the client.
	Admits(file string, handshake *tls.ConnectionState) bool
	// Challenge is what an authority that checks who has the host wants to read under a token.
	Challenge(host, token string) (answer string, ok bool)
}

// noCertificates are those of a front without TLS.
type noCertificates struct{}

func (noCertificates) Has(string) bool                             { return false }
func (noCertificates) Covers(server, host string) bool             { return server == host }
func (noCertificates) Admits(string, *tls.ConnectionState) bool    { return false }
func (noCertificates) Challenge(string, string) (_ string, _ bool) { return "", false }

// directed refuses a request that belongs on another connection (RFC 9110, section 15.5.20). A trusted proxy uses its
// connections for whom it likes.
func (s *story) directed() error {
	handshake := s.x.Handshake
	if handshake == nil || s.outside.trusted || s.x.Host == "" {
		return nil
	}
	server, host := bare(handshake.ServerName), bare(s.x.Host)
	if server == host || s.front.certificates.Covers(server, host) {
		return nil
	}
	return errMisdirected
}

// secure sends a request without TLS to where there is, if the app wants it, and asks for the client's certificate if the
// route does.
func (s *story) secure() error {
	if s.outside.scheme == "http" && s.prefersTLS() && !strings.HasPrefix(s.path, challengePath) {
		if s.x.Host == "" {
			return errTarget // there is no name that he could come by
		}
		return &redirected{location: "https://" + s.secureHost() + s.asked.String()}
	}
	if s.route.clientCA == "" {
		return nil
	}
	handshake := s.x.Handshake
	switch {
	case handshake != nil && s.front.certificates.Admits(s.route.clientCA, handshake):
		return nil
	case handshake != nil && bare(handshake.ServerName) != s.route.host:
		return errMisdirected // there it was not asked for
	}
	return errNoClientCertificate
}

func (s *story) prefersTLS() bool {
	switch s.route.app.https {
	case "redirect":
		return true
	case "allow":
		return false
	}
	return s.table.httpsPort != 0 && s.route.host != "" && s.front.certificates.Has(s.route.host)
}

// secureHost is where the visitor finds the same over TLS.
func (s *story) secureHost() string {
	host := bare(s.x.Host)
	if port := s.table.httpsPort; port != 0 && port != 443 {
		return net.JoinHostPort(host, strconv.Itoa(port))
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// clientCertificate is a field that tells the app who its client is (RFC 9440). Nobody else may say it but a trusted proxy.
const clientCertificate = "Client-Cert"

// introduce tells the app of a client whose certificate the route has asked for.
func (s *story) introduce(header *fields.List) {
	if s.route.clientCA == "" {
		return
	}
	raw := s.x.Handshake.PeerCertificates[0].Raw
	header.Set(clientCertificate, ":"+base64.StdEncoding.EncodeToString(raw)+":")
}

// insist tells a browser to come over TLS from now on (RFC 6797), unless the app says something of its own.
func (s *story) insist(h *fields.List) {
	const name = "Strict-Transport-Security"
	if s.route == nil || s.route.app.hsts == 0 || s.outside.scheme != "https" || h.Has(name) {
		return
	}
	h.Add(name, "max-age="+strconv.Itoa(int(s.route.app.hsts.Seconds())))
}
