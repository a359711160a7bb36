package integration

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A browser that is told to use QUIC for an origin uses nothing else there: a page that is shown has come over HTTP/3.
func TestChromiumUsesHTTP3(t *testing.T) {
	t.Parallel()
	n := launchNewer(t, "")
	_, port, _ := net.SplitHostPort(n.addr)
	at := secureHost + ":" + port
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	browser := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--ignore-certificate-errors-spki-list="+n.pin,
		"--host-resolver-rules=MAP "+secureHost+" 127.0.0.1", "--origin-to-force-quic-on="+at,
		"--dump-dom", "https://"+at+"/id")
	browser.Stderr = &stderr
	page, err := browser.Output()
	if want := n.row(t, "hello").ID; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("shown %q, %v, want %s: %s", page, err, want, stderr.String())
	}
}

// pinOf names the key of a certificate, as browsers do.
func pinOf(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}
