package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// pebbleRelease of Let's Encrypt's small ACME authority for tests, and of its DNS server, which knows every name.
const pebbleRelease = "v2.10.1"

var pebbleBuilt = sync.OnceValues(buildPebble)

// buildPebble builds both from Go modules, unless that was done before.
func buildPebble() (dir string, err error) {
	if dir, err = filepath.Abs("../bin/test/pebble-" + pebbleRelease); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "pebble")); err == nil {
		return dir, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	const module = "github.com/letsencrypt/pebble/v2/cmd/"
	build := exec.CommandContext(ctx, "go", "install", module+"pebble-challtestsrv@"+pebbleRelease, module+"pebble@"+pebbleRelease)
	build.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build pebble: %w: %s", err, said)
	}
	return dir, nil
}

// pebble is an ACME authority that runs, and asks at the ports of one Fairlead on 127.0.0.1.
type pebble struct {
	bin, dir  string
	directory string // URL
	roots     string // file: whom to trust for the directory
	manage    string // address
	log       *logbook
	process   *exec.Cmd
}

// startPebble has the authority ask at these ports.
func startPebble(t *testing.T, httpPort, tlsPort int) *pebble {
	t.Helper()
	dns := freeAddress(t)
	p := newPebble(t)
	p.spawn(t, "pebble-challtestsrv", "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dnsserver", dns,
		"-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", freeAddress(t))
	p.serve(t, dns, httpPort, tlsPort)
	return p
}

func newPebble(t *testing.T) *pebble {
	t.Helper()
	bin, err := pebbleBuilt()
	if err != nil {
		t.Fatal(err)
	}
	return &pebble{bin: bin, dir: t.TempDir(), log: &logbook{}, manage: freeAddress(t)}
}

// serve has it ask a DNS server for names and records.
func (p *pebble) serve(t *testing.T, dns string, httpPort, tlsPort int) {
	t.Helper()
	listen := freeAddress(t)
	p.directory = "https://" + listen + "/dir"
	p.roots = filepath.Join(p.dir, "own.crt")
	writeOwnCertificate(t, p.roots, filepath.Join(p.dir, "own.key"))
	p.write(t, map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": p.manage,
		"certificate": p.roots, "privateKey": filepath.Join(p.dir, "own.key"),
		"httpPort": httpPort, "tlsPort": tlsPort,
	}})
	p.process = p.spawn(t, "pebble", "-config", filepath.Join(p.dir, "config.json"), "-dnsserver", dns, "-strict")
	eventually(t, "pebble", func() string {
		if _, err := p.get(p.directory); err != nil {
			return err.Error()
		}
		return ""
	})
}

func (p *pebble) write(t *testing.T, config any) {
	t.Helper()
	text, err := json.Marshal(config)
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "config.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *pebble) spawn(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of %s:\n%s", program, p.log.tail(60))
		}
	})
	return cmd
}

func (p *pebble) get(url string) ([]byte, error) {
	pool := x509.NewCertPool()
	if own, err := os.ReadFile(p.roots); err == nil {
		pool.AppendCertsFromPEM(own)
	}
	client := http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
	}}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// root writes the certificate that everything issued comes from, another one in each run, to a file.
func (p *pebble) root(t *testing.T) string {
	t.Helper()
	text, err := p.get("https://" + p.manage + "/roots/0")
	file := filepath.Join(p.dir, "root.crt")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// writeOwnCertificate is for 127.0.0.1, signed by itself.
func writeOwnCertificate(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "a smoke"}, // OpenSSL wants one
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"files.example.org"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{key: {Type: "PRIVATE KEY", Bytes: der}, cert: {Type: "CERTIFICATE", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
