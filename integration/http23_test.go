package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/journal"
)

const secureHost = "hello.example.org"

// newer is a Fairlead with an https listener, and what its visitors trust.
type newer struct {
	*fairlead
	addr   string
	client *tls.Config
	pin    string // of the certificate's key
}

func launchNewer(t *testing.T, reach string) *newer {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	n := &newer{addr: fmt.Sprintf("127.0.0.1:%d", port)}
	n.client, n.pin = selfSigned(t, dir)
	n.fairlead = launch(t, setup{
		Reach: reach, Listen: fmt.Sprintf(", https: %q", n.addr),
		Top: fmt.Sprintf("tls: {certs: [{cert: %s/tls.crt, key: %s/tls.key}]}", dir, dir),
		Apps: `
  hello: {route: {host: ` + secureHost + `}, replicas: {min: 1, max: 2}}`,
	})
	n.awaitReplicas(t, "hello", 1)
	return n
}

// selfSigned writes one that signs itself.
func selfSigned(t *testing.T, dir string) (client *tls.Config, pin string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{secureHost}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: der}, "tls.key": {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(made)
	return &tls.Config{ServerName: secureHost, RootCAs: roots}, pinOf(made)
}

// overBoth are clients of HTTP/2 and HTTP/3.
func (n *newer) overBoth(t *testing.T) map[string]http.RoundTripper {
	second := &http.Transport{TLSClientConfig: n.client.Clone(), ForceAttemptHTTP2: true}
	third := &http3.Transport{TLSClientConfig: n.client.Clone()}
	t.Cleanup(second.CloseIdleConnections)
	t.Cleanup(func() { third.Close() })
	return map[string]http.RoundTripper{"HTTP/2.0": second, "HTTP/3.0": third}
}

func (n *newer) get(over http.RoundTripper, proto string) (string, error) {
	request, err := http.NewRequest("GET", "https://"+n.addr+"/id", nil)
	if err != nil {
		return "", err
	}
	request.Host = secureHost
	response, err := over.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != 200 || response.Proto != proto {
		return "", fmt.Errorf("%s %s: %s", response.Proto, response.Status, text)
	}
	return strings.TrimSpace(string(text)), err
}

// sockets opens a WebSocket over each protocol.
func (n *newer) sockets(t *testing.T) map[string]io.ReadWriter {
	return map[string]io.ReadWriter{"HTTP/1.1": n.firstSocket(t), "HTTP/2.0": n.secondSocket(t), "HTTP/3.0": n.thirdSocket(t)}
}

func (n *newer) firstSocket(t *testing.T) io.ReadWriter {
	t.Helper()
	client := n.client.Clone()
	client.NextProtos = []string{"http/1.1"}
	conn, err := tls.Dial("tcp", n.addr, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	dialer := ws.Dialer{}
	if _, _, err := dialer.Upgrade(conn, &url.URL{Scheme: "wss", Host: secureHost, Path: "/ws"}); err != nil {
		t.Fatal(err)
	}
	return conn
}

func connect(addr string) *http.Request {
	request, _ := http.NewRequest(http.MethodConnect, "https://"+addr+"/ws", nil)
	request.Host, request.Header = secureHost, http.Header{"Sec-Websocket-Version": {"13"}}
	return request
}

func (n *newer) secondSocket(t *testing.T) io.ReadWriter {
	t.Helper()
	client := n.client.Clone()
	client.NextProtos = []string{"h2"}
	raw, err := tls.Dial("tcp", n.addr, client)
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 what it is deprecated for refuses :protocol
	conn, err := (&http2.Transport{}).NewClientConn(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	up, feed := io.Pipe()
	request := connect(n.addr)
	request.Header[":protocol"], request.Body = []string{"websocket"}, up
	response, err := conn.RoundTrip(request)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("got %v, %v", response, err)
	}
	return struct {
		io.Reader
		io.Writer
	}{response.Body, feed}
}

func (n *newer) thirdSocket(t *testing.T) io.ReadWriter {
	t.Helper()
	client := n.client.Clone()
	client.NextProtos = []string{http3.NextProtoH3}
	conn, err := quic.DialAddr(t.Context(), n.addr, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	stream, err := (&http3.Transport{}).NewClientConn(conn).OpenRequestStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request := connect(n.addr)
	request.Proto = "websocket"
	if err := stream.SendRequestHeader(request); err != nil {
		t.Fatal(err)
	}
	if response, err := stream.ReadResponse(); err != nil || response.StatusCode != 200 {
		t.Fatalf("got %v, %v", response, err)
	}
	return stream
}

// echoed sends a text and waits for it.
func echoed(socket io.ReadWriter, text string) error {
	if err := ws.WriteFrame(socket, ws.MaskFrame(ws.NewTextFrame([]byte(text)))); err != nil {
		return err
	}
	header, err := ws.ReadHeader(socket)
	if err != nil {
		return err
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(socket, payload); err != nil || string(payload) != text {
		return fmt.Errorf("got %q, %v", payload, err)
	}
	return nil
}

// farewell waits for a close frame.
func farewell(socket io.Reader) (ws.StatusCode, error) {
	header, err := ws.ReadHeader(socket)
	if err != nil {
		return 0, err
	}
	payload := make([]byte, header.Length)
	_, err = io.ReadFull(socket, payload)
	code, _ := ws.ParseCloseFrameData(payload)
	return code, err
}

func TestNewerProtocolsRemoved(t *testing.T) {
	onEachReach(t, func(t *testing.T, reach string) { newerProtocols(t, reach, true) })
}

func TestNewerProtocolsRestarted(t *testing.T) {
	onEachReach(t, func(t *testing.T, reach string) { newerProtocols(t, reach, false) })
}

// docker rm -f, or docker restart, under visitors of HTTP/2, HTTP/3 and WebSockets over each: sockets are told to come
// back, and requests are served by what comes next, as with HTTP/1.1.
func newerProtocols(t *testing.T, reach string, remove bool) {
	n := launchNewer(t, reach)
	both, sockets := n.overBoth(t), n.sockets(t)
	before := n.row(t, "hello")
	for proto, over := range both {
		if got, err := n.get(over, proto); err != nil || got != before.ID {
			t.Fatalf("%s: %q, %v", proto, got, err)
		}
	}
	for proto, socket := range sockets {
		if err := echoed(socket, "hello over "+proto); err != nil {
			t.Fatalf("%s: %v", proto, err)
		}
	}
	word := journal.ReplicaReaped
	if remove {
		n.outside.remove(before.Container)
	} else {
		word = journal.ReplicaReadopted
		n.outside.restart(before.Container)
	}
	for proto, socket := range sockets {
		// A demo app that is asked to stop says 1001 itself, as at a restart, and when Podman removes it.
		if got, err := farewell(socket); err != nil || got != 1012 && got != ws.StatusGoingAway {
			t.Errorf("%s: close %d, %v", proto, got, err)
		}
	}
	served := map[string]<-chan error{}
	for proto, over := range both {
		served[proto] = meanwhile(func() error { _, err := n.get(over, proto); return err })
	}
	for proto, done := range served {
		if err := settled(t, proto, done); err != nil {
			t.Errorf("%s: %v", proto, err)
		}
	}
	n.await(t, 0, "hello", word)
	n.awaitReplicas(t, "hello", 1)
	for proto, socket := range n.sockets(t) {
		if err := echoed(socket, "again over "+proto); err != nil {
			t.Errorf("%s: %v", proto, err)
		}
	}
}
