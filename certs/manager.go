package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mholt/acmez/v3"

	"github.com/fairlead/fairlead/conf"
)

// Options of a Manager.
type Options struct {
	Log   *slog.Logger  // nil: slog.Default
	Every time.Duration // between two looks at the files; 0: 2 s
}

// Manager gives certificates to handshakes. Use New, then Prepare and Apply, then Run.
type Manager struct {
	log   *slog.Logger
	every time.Duration

	current atomic.Pointer[set]

	mu      sync.Mutex // guards what follows, and that one set follows the other
	sources *sources
	issuer  *issuer // nil: nobody issues
}

// sources are what a configuration names, as it was read last.
type sources struct {
	config      *conf.Config
	pairs       []*pair
	authorities map[string]*authorities // by file
	local       *local                  // nil: none
	issued      []*tls.Certificate      // by local
	roots       *x509.CertPool          // of the authority that issues; nil: the system's
}

// New makes a manager that has no certificate yet.
func New(o Options) *Manager {
	m := &Manager{log: o.Log, every: o.Every, sources: &sources{config: &conf.Config{}}}
	if m.log == nil {
		m.log = slog.Default()
	}
	if m.every == 0 {
		m.every = 2 * time.Second
	}
	m.current.Store(m.sources.set())
	return m
}

// Change is a configuration whose certificates were read.
type Change struct {
	manager *Manager
	sources *sources
}

// Prepare reads what c names. An error leaves everything as it is.
func (m *Manager) Prepare(c *conf.Config) (*Change, error) {
	s := &sources{config: c, authorities: map[string]*authorities{}}
	for _, read := range []func() error{s.readRoots, s.issueLocally, s.readPairs, s.readAuthorities} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return &Change{manager: m, sources: s}, nil
}

func (s *sources) readRoots() (err error) {
	if s.config.TLS.ACME == nil {
		return nil
	}
	if s.roots, err = rootsIn(s.config.TLS.ACME.CA); err != nil {
		return err
	}
	return tighten(storeIn(s.config.State))
}

func (s *sources) readPairs() error {
	for _, configured := range s.config.TLS.Certs {
		p := &pair{Cert: configured}
		if err := p.read(); err != nil {
			return err
		}
		s.pairs = append(s.pairs, p)
	}
	return nil
}

func (s *sources) readAuthorities() error {
	for _, app := range s.config.Apps {
		for _, r := range app.Routes {
			if r.ClientCA == "" || s.authorities[r.ClientCA] != nil {
				continue
			}
			a := &authorities{file: r.ClientCA}
			if err := a.read(); err != nil {
				return err
			}
			s.authorities[r.ClientCA] = a
		}
	}
	return nil
}

func (s *sources) issueLocally() (err error) {
	if len(s.config.TLS.LocalCA) == 0 {
		return nil
	}
	if s.local, err = loadLocal(s.config.State); err != nil {
		return err
	}
	s.issued, err = s.local.issueFor(s.config)
	return err
}

// Apply puts it in force for the next handshakes. The ports are open already: an authority may ask at once.
func (c *Change) Apply(ports Ports) {
	m := c.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources = c.sources
	if m.sources.local != nil {
		m.log.Info("browsers trust the local authority's certificates once they have its root", "root", m.sources.local.file)
	}
	m.issue(ports)
	m.publish()
}

// issue sees to it that the configuration's authority, and no other, is asked for the names that it is to be asked for.
func (m *Manager) issue(ports Ports) {
	config := m.sources.config
	if !m.issuer.is(config.TLS.ACME, ports) {
		m.issuer.close()
		m.issuer = nil
	}
	if config.TLS.ACME == nil {
		return
	}
	if m.issuer == nil {
		m.issuer = newIssuer(*config.TLS.ACME, m.sources.roots, config.State, ports, m.log)
	}
	files := m.sources.set()
	m.issuer.manage(acmeNames(config, func(name string) bool { return len(files.of(name)) > 0 }, m.issuer.stored))
}

// publish makes a set of what there is now.
func (m *Manager) publish() {
	s := m.sources.set()
	if m.issuer != nil {
		s.issued, s.cache = m.issuer.magic, m.issuer.cache
		for name := range m.issuer.names {
			s.issuing[name] = true
		}
	}
	m.current.Store(s)
}

// Run follows the files until ctx ends. Then certificates are renewed no more.
func (m *Manager) Run(ctx context.Context) {
	ticker := time.NewTicker(m.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			m.close()
			return
		case <-ticker.C:
			m.follow()
		}
	}
}

func (m *Manager) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.issuer.close()
}

// follow reads the files that have changed.
func (m *Manager) follow() {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := false
	for _, p := range m.sources.pairs {
		fresh = p.follow(m.log) || fresh
	}
	for _, a := range m.sources.authorities {
		fresh = a.follow(m.log) || fresh
	}
	if ages(m.sources.issued) {
		issued, err := m.sources.local.issueFor(m.sources.config)
		if err != nil {
			m.log.Warn("the local authority's certificates cannot be renewed", "error", err)
		} else {
			m.sources.issued, fresh = issued, true
		}
	}
	if fresh {
		m.publish()
	}
}

// TLSConfig is for any number of listeners, over TCP or QUIC, that speak these protocols (ALPN). It stays true over
// reloads.
func (m *Manager) TLSConfig(protocols ...string) *tls.Config {
	base := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: append(protocols, acmez.ACMETLS1Protocol), GetCertificate: m.certificate}
	base.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if pool := m.current.Load().asked[wanted(hello)]; pool != nil {
			return ask(base, pool), nil
		}
		return nil, nil // base
	}
	return base
}

// certificate returns nothing for a name that is not ours: crypto/tls says unrecognized_name then.
func (m *Manager) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	s, name := m.current.Load(), wanted(hello)
	if challenges(hello) {
		return s.challenged(hello, name), nil
	}
	return s.find(hello, name), nil
}

// wanted is whom a client wants to reach: the server that it names, else the address that it has connected to (an
// address is no server name: RFC 6066, section 3).
func wanted(hello *tls.ClientHelloInfo) string {
	if hello.ServerName != "" || hello.Conn == nil {
		return canonical(hello.ServerName)
	}
	host, _, _ := net.SplitHostPort(hello.Conn.LocalAddr().String())
	return canonical(host)
}

// Has says whether a client that asks for this host gets a certificate with its name.
func (m *Manager) Has(host string) bool { return m.current.Load().has(canonical(host)) }

// Covers says whether a connection whose client asked for server may carry requests for host: with the certificate that
// it got, or the one that it would get for host. Who names no server has asked for an address.
func (m *Manager) Covers(server, host string) bool {
	return m.current.Load().covers(canonical(server), canonical(host))
}
