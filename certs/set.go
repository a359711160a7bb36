package certs

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"slices"
	"strings"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3/acme"
)

// set finds a certificate by name. It never changes; a new file makes a new one.
type set struct {
	exact    map[string][]*tls.Certificate
	under    map[string][]*tls.Certificate // "*.example.org" by "example.org"
	fallback *tls.Certificate

	issued  *certmagic.Config // nil: nobody issues
	cache   *certmagic.Cache
	issuing map[string]bool // names that it looks after, whether they have a certificate yet or not

	asked       map[string]*x509.CertPool  // hosts whose clients are asked for a certificate
	authorities map[string]map[string]bool // by file, the bytes of its certificates
}

func (from *sources) set() *set {
	s := &set{
		issuing: map[string]bool{},
		exact:   map[string][]*tls.Certificate{}, under: map[string][]*tls.Certificate{},
		asked: asked(from.config, from.authorities), authorities: map[string]map[string]bool{},
	}
	for _, p := range from.pairs {
		s.add(p.loaded)
		if p.Fallback {
			s.fallback = p.loaded
		}
	}
	for _, c := range from.issued {
		s.add(c)
	}
	for file, a := range from.authorities {
		s.authorities[file] = a.known
	}
	return s
}

func (s *set) add(c *tls.Certificate) {
	for _, name := range namesOf(c) {
		if parent, ok := strings.CutPrefix(name, "*."); ok {
			s.under[parent] = append(s.under[parent], c)
		} else {
			s.exact[name] = append(s.exact[name], c)
		}
	}
}

// namesOf a certificate; a common name counts where there is nothing else, as for old clients.
func namesOf(c *tls.Certificate) (names []string) {
	for _, name := range c.Leaf.DNSNames {
		names = append(names, canonical(name))
	}
	for _, ip := range c.Leaf.IPAddresses {
		names = append(names, canonical(ip.String()))
	}
	if len(names) == 0 && c.Leaf.Subject.CommonName != "" {
		names = append(names, canonical(c.Leaf.Subject.CommonName))
	}
	return names
}

// of are the certificates that have a canonical name, the best first.
func (s *set) of(name string) []*tls.Certificate {
	if found := s.exact[name]; found != nil {
		return found
	}
	_, parent, _ := strings.Cut(name, ".")
	return s.under[parent]
}

// find returns nil if there is none. Where a name has several, as one with RSA and one with ECDSA, the client's abilities
// decide.
func (s *set) find(hello *tls.ClientHelloInfo, name string) *tls.Certificate {
	found := s.of(name)
	for _, c := range found {
		if len(found) == 1 || hello.SupportsCertificate(c) == nil {
			return c
		}
	}
	if len(found) > 0 {
		return found[0]
	}
	if c := s.issuedFor(hello, name); c != nil {
		return c
	}
	return s.fallback
}

// issuedFor asks for the names of routes alone: strangers' names cost nothing, and order nothing (case B181).
func (s *set) issuedFor(hello *tls.ClientHelloInfo, name string) *tls.Certificate {
	if s.subject(name) == "" {
		return nil
	}
	c, err := s.issued.GetCertificate(hello)
	if err != nil {
		return nil // it is on its way
	}
	return c
}

// subject is the name of the certificate that is got for a name: itself, or its star; empty: none.
func (s *set) subject(name string) string {
	if s.issuing[name] {
		return name
	}
	if star := starFor(name); s.issuing[star] {
		return star
	}
	return ""
}

// challenged is the certificate for an authority that checks who has a name (RFC 8737).
func (s *set) challenged(hello *tls.ClientHelloInfo, name string) *tls.Certificate {
	if challenge, ok := certmagic.GetACMEChallenge(name); !ok || challenge.Type != acme.ChallengeTypeTLSALPN01 {
		return nil
	}
	return s.issuedFor(hello, name)
}

func (s *set) has(name string) bool {
	return len(s.of(name)) > 0 || s.subject(name) != "" && len(s.cache.AllMatchingCertificates(name)) > 0
}

// covers compares what two names get; see Manager.Covers.
func (s *set) covers(server, host string) bool {
	if _, err := netip.ParseAddr(host); err == nil && server == "" {
		return true
	}
	if theirs, own := s.subject(server), s.subject(host); theirs != "" || own != "" {
		return theirs == own
	}
	theirs, own := s.of(server), s.of(host)
	for _, c := range theirs {
		if slices.Contains(own, c) || c.Leaf.VerifyHostname(host) == nil {
			return true
		}
	}
	if len(theirs) > 0 || s.fallback == nil {
		return false
	}
	return len(own) == 0 || slices.Contains(own, s.fallback)
}

// canonical is a name or an address as the maps have it: no port, no root's dot, lower case.
func canonical(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if address, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return address.Unmap().WithZone("").String()
	}
	return name
}
