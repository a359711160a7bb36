package l7

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/fairlead/fairlead/conf"
)

// http3Visitor speaks HTTP/3 to a house with a socket of its own.
func (h *house) http3Visitor() (*http3.Transport, string) {
	h.t.Helper()
	url, client, _ := h.serveHTTP3()
	transport := &http3.Transport{TLSClientConfig: client, DisableCompression: true}
	h.t.Cleanup(func() { transport.Close() })
	return transport, url
}

func (h *house) serveHTTP3() (url string, client *tls.Config, leave func()) {
	h.t.Helper()
	return h.serveHTTP3At("127.0.0.1:0")
}

func (h *house) serveHTTP3At(addr string) (url string, client *tls.Config, leave func()) {
	h.t.Helper()
	socket, err := net.ListenPacket("udp", addr)
	if err != nil {
		h.t.Fatal(err)
	}
	server, client := testTLS(h.t)
	server.NextProtos = []string{http3.NextProtoH3}
	ctx, leave := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.front.ServeHTTP3(ctx, socket, server) }()
	h.t.Cleanup(func() {
		leave()
		if err := <-served; err != nil {
			h.t.Error(err)
		}
	})
	eventually(h.t, "it is served", func() bool { return h.front.quic.servedAt(portOf(socket.LocalAddr())) })
	return "https://" + socket.LocalAddr().String(), client, leave
}

func asked(t *testing.T, over http.RoundTripper, method, url string, body io.Reader) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "example.com"
	response, err := over.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{Response: response, body: string(text), err: err}
}

func TestHTTP3KeepsTheRequest(t *testing.T) {
	h := newHouse(t, nil)
	got := make(chan string, 1)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- strings.Join([]string{r.Method, r.RequestURI, r.Host, r.Header.Get("X-Forwarded-Proto"), string(body), fmt.Sprint(r.ContentLength)}, " ")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	})
	visitor, url := h.http3Visitor()
	a := asked(t, visitor, "PATCH", url+"/a%2Fb//../c?x=;y&", strings.NewReader("body"))
	if now := <-got; now != "PATCH /a%2Fb//../c?x=;y& example.com https body 4" {
		t.Errorf("the app saw %q", now)
	}
	if a.ProtoMajor != 3 || a.StatusCode != 418 || a.body != "short and stout" || a.Header.Get("Alt-Svc") != "" {
		t.Errorf("got %v %q", a.Response, a.body)
	}
	// A GET has no body, and so it can be repeated.
	asked(t, visitor, "GET", url+"/", nil)
	if now := <-got; now != "GET / example.com https  0" {
		t.Errorf("the app saw %q", now)
	}
	h.idle("hello")
}

// openHTTP3 opens a stream on a connection of its own.
func (h *house) openHTTP3(url string, client *tls.Config) *http3.RequestStream {
	h.t.Helper()
	client.NextProtos = []string{http3.NextProtoH3}
	conn, err := quic.DialAddr(h.t.Context(), strings.TrimPrefix(url, "https://"), client, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	stream, err := (&http3.Transport{}).NewClientConn(conn).OpenRequestStream(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return stream
}

// http3Stream has sent the header of a GET, and neither a body nor the end.
func (h *house) http3Stream() *http3.RequestStream {
	h.t.Helper()
	url, client, _ := h.serveHTTP3()
	stream := h.openHTTP3(url, client)
	request, _ := http.NewRequest("GET", url, nil)
	request.Host = "example.com"
	if err := stream.SendRequestHeader(request); err != nil {
		h.t.Fatal(err)
	}
	return stream
}

// A GET whose stream stays open has a body, and is served while that comes: it is not waited for.
func TestHTTP3LateEndStreams(t *testing.T) {
	h := newHouse(t, nil)
	arrived, got := make(chan time.Time, 1), make(chan string, 1)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		arrived <- time.Now()
		body, err := io.ReadAll(r.Body)
		got <- fmt.Sprint(r.ContentLength, " ", string(body), " ", err)
	})
	for _, text := range []string{"", "late", "a body of two frames"} {
		began := time.Now()
		stream := h.http3Stream()
		if waited := (<-arrived).Sub(began); waited > 500*time.Millisecond {
			t.Errorf("%q: the app heard of it after %v", text, waited)
		}
		half := len(text) / 2
		for _, part := range []string{text[:half], text[half:]} {
			if _, err := stream.Write([]byte(part)); err != nil && part != "" {
				t.Fatal(err)
			}
		}
		stream.Close()
		if now := <-got; now != "-1 "+text+" <nil>" {
			t.Errorf("%q: the app saw %q", text, now)
		}
		if response, err := stream.ReadResponse(); err != nil || response.StatusCode != 200 {
			t.Errorf("%q: %v, %v", text, response, err)
		}
	}
	h.idle("hello")
}

// case B133: a body of unknown length is a body.
func TestHTTP3UploadWithoutLength(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		_, _ = io.Copy(sum, r.Body)
		fmt.Fprintf(w, "%x", sum.Sum(nil))
	})
	visitor, url := h.http3Visitor()
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
	a := asked(t, visitor, "POST", url, struct{ io.Reader }{bytes.NewReader(text)})
	if want := fmt.Sprintf("%x", sha256.Sum256(text)); a.body != want {
		t.Errorf("got %q, %v", a.body, a.err)
	}
}

func TestHTTP3WithoutABody(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/204" {
			w.WriteHeader(204)
			return
		}
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "hello")
	})
	visitor, url := h.http3Visitor()
	if a := asked(t, visitor, "HEAD", url, nil); a.err != nil || a.StatusCode != 200 || a.Header.Get("Content-Length") != "5" || a.body != "" {
		t.Errorf("HEAD: %v %q %v", a.Response, a.body, a.err)
	}
	if a := asked(t, visitor, "GET", url+"/204", nil); a.err != nil || a.StatusCode != 204 || a.body != "" {
		t.Errorf("204: %v %q %v", a.Response, a.body, a.err)
	}
}

func TestHTTP3TrailersAndInterimAnswers(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(103)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "x")
		w.Header().Set("X-Sum", r.Trailer.Get("X-Up"))
	})
	visitor, url := h.http3Visitor()
	early := make(chan string, 1)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		early <- fmt.Sprint(code, header.Get("Link"))
		return nil
	}})
	request, _ := http.NewRequestWithContext(ctx, "POST", url, struct{ io.Reader }{strings.NewReader("body")})
	request.Host = "example.com"
	request.Trailer = http.Header{"X-Up": {"went up"}}
	response, err := visitor.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(response.Body); err != nil || response.Trailer.Get("X-Sum") != "went up" {
		t.Errorf("trailer %v, %v", response.Trailer, err)
	}
	if got := <-early; got != "103</a.css>; rel=preload" {
		t.Errorf("early: %s", got)
	}
}

func TestHTTP3TruncationIsAReset(t *testing.T) {
	h := newHouse(t, nil)
	visitor, url := h.http3Visitor()
	for _, header := range []string{"Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"} {
		h.app("hello").Remove("r1", 0)
		h.rawReplica("hello", "r1", truncating(header))
		a := asked(t, visitor, "GET", url, nil)
		var reset *http3.Error
		if !errors.As(a.err, &reset) || reset.ErrorCode != http3.ErrCodeInternalError {
			t.Errorf("%s got %v", header, a.err)
		}
	}
}

func TestHTTP3CancelEndsTheHold(t *testing.T) {
	h := newHouse(t, nil)
	visitor, url := h.http3Visitor()
	ctx, cancel := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader("x"))
	request.Host = "example.com"
	done := make(chan error, 1)
	go func() {
		_, err := visitor.RoundTrip(request)
		done <- err
	}()
	waitFor(h, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "nobody is waited for", func() bool { return h.app("hello").Waiting(time.Now()) == 0 })
}

// cases B095, B134: many large answers at once, some of them cancelled, and the next one comes.
func TestHTTP3ManyLargeAnswers(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Queue = 1000 })
	part := make([]byte, 64<<10)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		for range 16 {
			_, _ = w.Write(part)
		}
	})
	visitor, url := h.http3Visitor()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
			request.Host = "example.com"
			response, err := visitor.RoundTrip(request)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if i%5 == 0 {
				_, _ = io.ReadFull(response.Body, make([]byte, 1000))
				return
			}
			if n, err := io.Copy(io.Discard, response.Body); n != 16*64<<10 || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	all.Wait()
	if a := asked(t, visitor, "HEAD", url, nil); a.StatusCode != 200 {
		t.Errorf("got %v", a.Response)
	}
	h.idle("hello")
}

func TestHTTP3DrainLetsRequestsEnd(t *testing.T) {
	h := newHouse(t, nil)
	visitor, url := h.http3Visitor()
	got := make(chan string, 1)
	go func() {
		request, _ := http.NewRequest("GET", url, nil)
		request.Host = "example.com"
		response, err := visitor.RoundTrip(request)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- response.Status
	}()
	waitFor(h, 1)
	done := h.drain(10 * time.Second)
	h.replica("hello", "r1", named("r1"))
	if status := <-got; status != "200 OK" {
		t.Error(status)
	}
	began := time.Now()
	if err := <-done; err != nil || time.Since(began) > 8*time.Second {
		t.Errorf("drain: %v after %v", err, time.Since(began))
	}
}

// case B136: a listener that goes frees its port.
func TestHTTP3SocketIsClosed(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	url, client, leave := h.serveHTTP3()
	visitor := &http3.Transport{TLSClientConfig: client}
	defer visitor.Close()
	asked(t, visitor, "GET", url, nil)
	leave()
	eventually(t, "the port is free", func() bool {
		socket, err := net.ListenPacket("udp", strings.TrimPrefix(url, "https://"))
		if err == nil {
			socket.Close()
		}
		return err == nil
	})
}

// case B139: the same over QUIC.
func TestHTTP3RapidReset(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Queue = 100_000 })
	url, client, _ := h.serveHTTP3()
	client.NextProtos = []string{http3.NextProtoH3}
	conn, err := quic.DialAddr(t.Context(), strings.TrimPrefix(url, "https://"), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	peer := (&http3.Transport{}).NewClientConn(conn)
	for range 20_000 {
		stream, err := peer.OpenRequestStream(t.Context())
		if err != nil {
			break
		}
		request, _ := http.NewRequest("GET", url, nil)
		request.Host = "example.com"
		_ = stream.SendRequestHeader(request)
		stream.Close() // a reset of this half would take the header back
		stream.CancelRead(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
	}
	eventually(t, "that is enough", func() bool { return conn.Context().Err() != nil })
	var end *quic.ApplicationError
	if err := context.Cause(conn.Context()); !errors.As(err, &end) || end.ErrorCode != quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad) {
		t.Errorf("got %v", err)
	}
	eventually(t, "nobody is waited for", func() bool { return h.app("hello").Waiting(time.Now()) == 0 })
}

// HTTP/3 is told of only where it is: on the port that the request came to, as the outside sees it.
func TestAltSvc(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	server, client := testTLS(t)
	with, without, second := h.serveTLS(server), h.serveTLS(server.Clone()), h.serveTLS(server.Clone())
	told := func(addr string) string {
		t.Helper()
		over1, _ := secureGet(t, addr, client)
		transport := &http.Transport{TLSClientConfig: client.Clone(), ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		over2 := asked(t, transport, "GET", "https://"+addr, nil)
		if over1.Header.Get("Alt-Svc") != over2.Header.Get("Alt-Svc") || over2.ProtoMajor != 2 {
			t.Errorf("%v and %v", over1.Header, over2.Header)
		}
		return over1.Header.Get("Alt-Svc")
	}
	if got := told(with); got != "" {
		t.Errorf("told of what is not there: %s", got)
	}
	h.serveHTTP3At(with)
	_, _, leave := h.serveHTTP3At(second)
	for _, addr := range []string{with, second} {
		_, port, _ := net.SplitHostPort(addr)
		if got := told(addr); got != `h3=":`+port+`"; ma=86400` {
			t.Errorf("at %s: %s", addr, got)
		}
	}
	h.config.Listen.Public.HTTPS = 443
	h.configure()
	if got := told(second); got != `h3=":443"; ma=86400` {
		t.Errorf("behind another port: %s", got)
	}
	leave()
	eventually(t, "it is not served", func() bool { return told(second) == "" })
	if got := told(without); got != "" {
		t.Errorf("it is another listener's: %s", got)
	}
	if a := h.get("/"); a.Header.Get("Alt-Svc") != "" {
		t.Errorf("without TLS: %v", a.Header)
	}
}
