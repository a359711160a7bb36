package integration

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// over has an app at hosts of their own, beside the one that takes every path.
const over = `
  secure: {route: [{host: one.example.org}, {host: two.example.org}]}
  any: {route: {path: /}, https: allow}
`

// curl asks for a URL whose host it finds at a port of 127.0.0.1; the answer begins with the status.
func curl(t *testing.T, port int, root, url string, more ...string) string {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "/")
	args := append([]string{"-sS", "--max-time", "60", "-o", "-", "-w", "\n%{http_code} %{redirect_url}", "--cacert", root,
		"--connect-to", fmt.Sprintf("%s::127.0.0.1:%d", host, port), url}, more...)
	var stderr bytes.Buffer
	cmd := exec.Command("curl", args...)
	cmd.Stderr = &stderr
	body, err := cmd.Output()
	if err != nil {
		return stderr.String()
	}
	at := bytes.LastIndexByte(body, '\n')
	return strings.TrimSpace(string(body[at+1:])) + " " + string(body[:at])
}

// serial of the certificate that a client of a name gets; the error is the handshake's.
func serial(port int, name string) (string, error) {
	conn, err := tls.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port), &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String(), nil
}

func awaitCertificate(t *testing.T, port int, name string) (number string) {
	t.Helper()
	eventually(t, "a certificate for "+name, func() string {
		got, err := serial(port, name)
		if err != nil {
			return err.Error()
		}
		number = got
		return ""
	})
	return number
}

// Cases B181, B184 and B185 on the way.
func TestCertificatesFromAnAuthority(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"http-01", "tls-alpn-01"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			httpPort, httpsPort := freePort(t), freePort(t)
			// The other way leads nowhere.
			asked := map[string][2]int{"http-01": {httpPort, freePort(t)}, "tls-alpn-01": {freePort(t), httpsPort}}[way]
			authority := startPebble(t, asked[0], asked[1])
			f := launch(t, setup{
				HTTP: fmt.Sprintf("127.0.0.1:%d", httpPort), Listen: fmt.Sprintf(`, https: "127.0.0.1:%d"`, httpsPort),
				Top:  fmt.Sprintf("tls: {acme: {email: ops@example.org, directory: %q, ca: %q}}", authority.directory, authority.roots),
				Apps: over,
			})
			first := awaitCertificate(t, httpsPort, "one.example.org")
			awaitCertificate(t, httpsPort, "two.example.org")
			root := authority.root(t)
			if got := curl(t, httpsPort, root, "https://one.example.org/"); !strings.HasPrefix(got, "200 ") {
				t.Errorf("over TLS: %s", got)
			}
			if got, want := curl(t, httpPort, root, "http://one.example.org/x"), fmt.Sprintf("308 https://one.example.org:%d/x", httpsPort); !strings.HasPrefix(got, want) {
				t.Errorf("without: %s, want %s", got, want)
			}
			for i := range 20 {
				if got, err := serial(httpsPort, fmt.Sprintf("stranger%d.example.org", i)); err == nil {
					t.Errorf("a stranger's name got certificate %s", got)
				}
			}
			if said := authority.log.tail(10000); strings.Contains(said, "stranger") {
				t.Errorf("the authority was asked for a stranger's name: %s", said)
			}
			keptOverRestart(t, f, authority, httpsPort, "one.example.org", first)
		})
	}
}

// keptOverRestart ends both, and starts only Fairlead again.
func keptOverRestart(t *testing.T, f *fairlead, authority *pebble, port int, name, first string) {
	t.Helper()
	f.process.kill()
	_ = authority.process.Process.Kill()
	stored := filesUnder(t, filepath.Join(f.state(), "acme"))
	for _, file := range stored {
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f.start(t)
	if got := awaitCertificate(t, port, name); got != first {
		t.Errorf("another certificate after the restart: %s, before %s", got, first)
	}
	for _, file := range stored {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}

func filesUnder(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing in %s: %v", dir, err)
	}
	return files
}

// A visitor comes over TLS to an app that sleeps; then the certificate changes, and no connection notices.
func TestCertificateFiles(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	cert, key := filepath.Join(dir, "a.crt"), filepath.Join(dir, "a.key")
	writeOwnCertificate(t, cert, key)
	launch(t, setup{
		Listen: fmt.Sprintf(`, https: "127.0.0.1:%d"`, port),
		Top:    fmt.Sprintf("tls: {certs: {cert: %q, key: %q}}", cert, key),
		Apps: fmt.Sprintf(`
  files: {route: {host: files.example.org}}
  echo: {route: {tcp: "127.0.0.1:%d", sni: echo.example.org, port: 7000}, env: {DEMO_TCP: "7000"}}
`, port),
	})
	if hello, got := echoOfHello(t, port, "echo.example.org"); !bytes.Equal(hello, got) {
		t.Errorf("the app behind the same port got %q, want %q", got, hello)
	}
	if got := curl(t, port, cert, "https://files.example.org/"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("got %s", got)
	}
	if got := curl(t, port, cert, "https://files.example.org/", "-H", "Host: other.example.org"); !strings.HasPrefix(got, "421 ") {
		t.Errorf("another host: %s", got)
	}
	if got := curl(t, port, cert, "https://other.example.org/"); !strings.Contains(got, "unrecognized name") {
		t.Errorf("another name: %s", got)
	}
	before, err := serial(port, "files.example.org")
	if err != nil {
		t.Fatal(err)
	}
	writeOwnCertificate(t, cert, key)
	eventually(t, "the new certificate", func() string {
		if now, err := serial(port, "files.example.org"); err != nil || now == before {
			return fmt.Sprint(now, err)
		}
		return ""
	})
	if got := curl(t, port, cert, "https://files.example.org/"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("with the new one: %s", got)
	}
}

// echoOfHello sends a ClientHello for a name, and returns it with what an app that echoes says.
func echoOfHello(t *testing.T, port int, name string) (hello, got []byte) {
	t.Helper()
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		defer theirs.Close()
		_ = tls.Client(theirs, &tls.Config{ServerName: name}).Handshake() // nobody answers
	}()
	buffer := make([]byte, 4096)
	n, err := ours.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	hello = buffer[:n]
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(hello); err != nil {
		t.Fatal(err)
	}
	got = make([]byte, n)
	if _, err := io.ReadFull(conn, got); err != nil {
		t.Fatal(err)
	}
	return hello, got
}
