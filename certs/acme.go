package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/fairlead/fairlead/conf"
)

// Ports are where the authority's questions arrive, as our listeners have them; 0: nowhere. It asks at 80 and 443.
type Ports struct{ HTTP, HTTPS int }

// issuer gets certificates for names from an ACME authority, and renews them. Its account and what it got stand in the
// state directory.
type issuer struct {
	config conf.ACME
	ports  Ports
	log    *slog.Logger

	magic *certmagic.Config
	cache *certmagic.Cache
	names map[string]context.CancelFunc // that are looked after, and how to stop that
}

// newIssuer does not talk to the authority yet. Nil roots are the system's.
func newIssuer(config conf.ACME, roots *x509.CertPool, state string, ports Ports, log *slog.Logger) *issuer {
	i := &issuer{config: config, ports: ports, log: log, names: map[string]context.CancelFunc{}}
	logger := zapTo(log)
	i.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return i.magic, nil },
		Logger:           logger,
	})
	i.magic = certmagic.New(i.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: storeIn(state)},
		Logger:  logger,
		OnEvent: i.tell,
		// A responder that is slow must hold up no handshake, and public authorities have given OCSP up.
		OCSP: certmagic.OCSPConfig{DisableStapling: true},
	})
	i.magic.Issuers = []certmagic.Issuer{certmagic.NewACMEIssuer(i.magic, certmagic.ACMEIssuer{
		CA: directoryOf(config.Directory), Email: config.Email, Agreed: true, TrustedRoots: roots, Logger: logger,
		NewAccountFunc:            withoutFalseContact,
		DisableDistributedSolvers: true, // the state directory is this process's alone
		DisableHTTPChallenge:      ports.HTTP == 0, AltHTTPPort: ports.HTTP,
		DisableTLSALPNChallenge: ports.HTTPS == 0, AltTLSALPNPort: ports.HTTPS,
		DNS01Solver: solverOf(config.DNS, logger), // which leaves the others out
	})}
	return i
}

// withoutFalseContact takes back what certmagic v0.25.6 makes of no email: it keeps such an account as "default", and the
// next name that needs it while it is being registered takes that for an address, which the authority refuses.
func withoutFalseContact(_ context.Context, _ *certmagic.ACMEIssuer, account acme.Account) (acme.Account, error) {
	account.Contact = slices.DeleteFunc(account.Contact, func(contact string) bool { return contact == "mailto:default" })
	return account, nil
}

// directoryOf the authority; Let's Encrypt has two.
func directoryOf(configured string) string {
	switch configured {
	case "":
		return certmagic.LetsEncryptProductionCA
	case "staging":
		return certmagic.LetsEncryptStagingCA
	}
	return configured
}

func storeIn(state string) string { return filepath.Join(state, "acme") }

// tighten keeps the keys in the store for us alone, whatever a backup or a volume made of their modes (case B184).
func tighten(store string) error {
	err := filepath.WalkDir(store, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode()&0o077 == 0 {
			return err
		}
		return os.Chmod(path, info.Mode()&0o700)
	})
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("protect the certificates' store (it must belong to the user that Fairlead runs as): %w", err)
	}
	return nil
}

func rootsIn(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the authority's roots: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read the authority's roots in %s: %w", file, errNoCertificate)
	}
	return pool, nil
}

// tell writes down what operators want to know; failures, and when another attempt follows, are certmagic's to tell.
func (i *issuer) tell(_ context.Context, event string, data map[string]any) error {
	if event == "cert_obtained" {
		i.log.Info("certificate obtained", "name", data["identifier"], "renewal", data["renewal"])
	}
	return nil
}

// is says whether the issuer is the one that a configuration means.
func (i *issuer) is(config *conf.ACME, ports Ports) bool {
	return i != nil && config != nil && reflect.DeepEqual(i.config, *config) && i.ports == ports
}

// stored says whether there is a certificate for a name, from this run or one before.
func (i *issuer) stored(name string) bool {
	key := certmagic.StorageKeys.SiteCert(i.magic.Issuers[0].IssuerKey(), name)
	return i.magic.Storage.Exists(context.Background(), key)
}

// manage looks after these names from now on, and no others. It does not wait for any.
func (i *issuer) manage(names []string) {
	for name, stop := range i.names {
		if !slices.Contains(names, name) {
			stop()
			i.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
			delete(i.names, name)
		}
	}
	for _, name := range names {
		if i.names[name] != nil {
			continue
		}
		ctx, stop := context.WithCancel(context.Background())
		i.names[name] = stop
		if err := i.magic.ManageAsync(ctx, []string{name}); err != nil {
			i.log.Warn("no certificate can be got", "name", name, "error", err)
		}
	}
}

// close ends what goes on. What there is stays: in the store, and for handshakes of connections that still come.
func (i *issuer) close() {
	if i == nil {
		return
	}
	for _, stop := range i.names {
		stop()
	}
	i.cache.Stop()
}

// acmeNames are the hosts of routes for which a public authority could give a certificate, and nothing else has one: no
// file, and no star among the names. One that got its own before there was a star keeps it: the star's may never come.
func acmeNames(c *conf.Config, has, got func(name string) bool) (names []string) {
	if c.TLS.ACME == nil {
		return nil
	}
	for _, app := range c.Apps {
		for _, r := range app.Routes {
			name := canonical(r.Host)
			_, notAddress := netip.ParseAddr(name)
			if name == "" || notAddress == nil || has(name) || slices.Contains(names, name) {
				continue
			}
			if c.TLS.ACME.Directory == "" && !certmagic.SubjectQualifiesForPublicCert(name) {
				continue
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	all := slices.Clone(names)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(all, starFor(name)) && !got(name) })
}

// starFor is the name of the certificate for everything beside a name, as "*.example.org" for "app.example.org".
func starFor(name string) string {
	if strings.HasPrefix(name, "*.") {
		return "" // stars do not cover stars
	}
	_, parent, _ := strings.Cut(name, ".")
	return "*." + parent
}

// challenges says whether an authority asks, and not a client.
func challenges(hello *tls.ClientHelloInfo) bool {
	return len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acmez.ACMETLS1Protocol
}

// Challenge is what an authority that checks who has the host wants to read under a token, if we have asked it to.
func (m *Manager) Challenge(host, token string) (answer string, ok bool) {
	challenge, ok := certmagic.GetACMEChallenge(canonical(host))
	if !ok || challenge.Type != acme.ChallengeTypeHTTP01 || challenge.Token != token {
		return "", false
	}
	return challenge.KeyAuthorization, true
}
