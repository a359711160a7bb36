package l7

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// testTLS borrows the certificate of httptest, which is for example.com.
func testTLS(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates, NextProtos: Protocols()}, &tls.Config{RootCAs: pool, ServerName: "example.com"}
}

// serveTLS opens a listener and returns its address.
func (h *house) serveTLS(config *tls.Config) string {
	h.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- h.front.ServeTLS(l, config) }()
	h.t.Cleanup(func() {
		<-h.drain(time.Second)
		if err := <-served; err != nil {
			h.t.Error(err)
		}
	})
	return l.Addr().String()
}

func secureGet(t *testing.T, addr string, config *tls.Config) (*http.Response, string) {
	t.Helper()
	return secureGetAs(t, addr, config, "example.com", "/x")
}

// secureGetAs asks for any host over the connection.
func secureGetAs(t *testing.T, addr string, config *tls.Config, host, path string, lines ...string) (*http.Response, string) {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	lines = append([]string{"GET " + path + " HTTP/1.1", "Host: " + host, "Connection: close"}, lines...)
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestHTTPOverTLS(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Forwarded-Proto")+" "+r.Header.Get("X-Forwarded-Port"))
	})
	server, client := testTLS(t)
	addr := h.serveTLS(server)
	for _, offer := range [][]string{nil, {"http/1.1"}, {"h3-of-tomorrow", "http/1.1"}} {
		client.NextProtos = offer
		if response, body := secureGet(t, addr, client); response.StatusCode != 200 || body != "https 443" {
			t.Errorf("offered %v: got %d %q", offer, response.StatusCode, body)
		}
	}
}

// A client that says nothing holds up nobody.
func TestHandshakesDoNotWaitForEachOther(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(http.ResponseWriter, *http.Request) {})
	server, client := testTLS(t)
	addr := h.serveTLS(server)
	for range 20 {
		silent, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
	}
	if response, _ := secureGet(t, addr, client); response.StatusCode != 200 {
		t.Errorf("got %d", response.StatusCode)
	}
	began := time.Now()
	<-h.drain(time.Second)
	if took := time.Since(began); took > handshakeTimeout/2 {
		t.Errorf("draining waited %v for handshakes", took)
	}
}

func TestHTTPWithoutTLSIsToldSo(t *testing.T) {
	h := newHouse(t, nil)
	server, _ := testTLS(t)
	h.addr = h.serveTLS(server)
	if got := h.raw("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
		t.Errorf("got %q", got)
	}
	if got := h.raw("nonsense, and long enough for a record\r\n"); strings.Contains(got, "HTTP") {
		t.Errorf("got %q", got)
	}
}

// The listener of one configuration ends, and its connections stay (P7).
func TestTLSListenerGoesAndItsConnectionsStay(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(http.ResponseWriter, *http.Request) {})
	server, client := testTLS(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- h.front.ServeTLS(l, server) }()
	conn, err := tls.Dial("tcp", l.Addr().String(), client)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	reader := bufio.NewReader(conn)
	ask := func() {
		t.Helper()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
			t.Fatalf("got %d, %v", response.StatusCode, err)
		}
	}
	ask()
	l.Close()
	<-served
	ask()
}
