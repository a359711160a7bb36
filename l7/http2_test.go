package l7

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/summerwind/h2spec"
	h2spec_config "github.com/summerwind/h2spec/config"
	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/conf"
)

// http2Visitor speaks HTTP/2 to the house, by prior knowledge.
func (h *house) http2Visitor() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, DisableCompression: true}
	h.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// The public conformance suite, over TLS and without it. On listen.http a connection that begins with nonsense belongs to
// HTTP/1.1, so that the bare one has a listener of its own here.
func TestH2Spec(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "hello")
	})
	h.front.certificates = anyName{} // or each request is answered with 421, before the suite has said all it wants
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bare.Close() })
	go func() {
		for {
			conn, err := bare.Accept()
			if err != nil {
				return
			}
			go h.front.serveHTTP2(conn)
		}
	}()
	server, _ := testTLS(t)
	for name, addr := range map[string]string{"bare": bare.Addr().String(), "tls": h.serveTLS(server)} {
		port, _ := strconv.Atoi(addr[strings.LastIndexByte(addr, ':')+1:])
		ok, err := h2spec.Run(&h2spec_config.Config{
			Host: "127.0.0.1", Port: port, Path: "/", Timeout: 10 * time.Second, MaxHeaderLen: 4000,
			Strict: true, TLS: name == "tls", Insecure: true,
		})
		if !ok || err != nil {
			t.Errorf("%s: h2spec found faults (above), %v", name, err)
		}
	}
}

func TestHTTP2KeepsTheRequest(t *testing.T) {
	h := newHouse(t, nil)
	type seen struct{ method, uri, host, header, cookie, forwarded, body string }
	got := make(chan seen, 1)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.RequestURI, r.Host, r.Header.Get("X-Own"), r.Header.Get("Cookie"), r.Header.Get("X-Forwarded-For"), string(body)}
		w.Header().Set("X-Back", "1")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	})
	request, _ := http.NewRequest("PATCH", h.url, strings.NewReader("body"))
	request.URL.Opaque = "/a%2Fb//../c?x=;y&"
	request.Host = "hello.example.org"
	request.Header.Set("X-Own", "1")
	request.Header["Cookie"] = []string{"a=1; b=2"}
	response, err := h.http2Visitor().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	want := seen{"PATCH", "/a%2Fb//../c?x=;y&", "hello.example.org", "1", "a=1; b=2", "127.0.0.1", "body"}
	if now := <-got; now != want {
		t.Errorf("the app saw %+v", now)
	}
	if response.ProtoMajor != 2 || response.StatusCode != 418 || response.Header.Get("X-Back") != "1" || string(body) != "short and stout" {
		t.Errorf("got %v %q", response, body)
	}
	h.idle("hello")
}

func TestHTTP2WithoutABody(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
			t.Errorf("%s came with a body", r.Method)
		}
		w.Header().Set("Content-Length", "5")
		switch r.URL.Path {
		case "/204":
			w.Header().Del("Content-Length")
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		default:
			_, _ = io.WriteString(w, "hello")
		}
	})
	visitor := h.http2Visitor()
	for _, c := range []struct {
		method, path string
		status       int
		length       string
	}{{"HEAD", "/", 200, "5"}, {"GET", "/204", 204, ""}, {"GET", "/304", 304, ""}, {"GET", "/", 200, "5"}} {
		request, _ := http.NewRequest(c.method, h.url+c.path, nil)
		response, err := visitor.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != c.status || response.Header.Get("Content-Length") != c.length || (len(body) > 0) != (c.path == "/" && c.method == "GET") {
			t.Errorf("%s %s: %v, %q, %v", c.method, c.path, response, body, err)
		}
	}
}

func TestHTTP2TrailersAndInterimAnswers(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(103)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "x")
		w.Header().Set("X-Sum", r.Trailer.Get("X-Up"))
	})
	early := make(chan string, 1)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		early <- fmt.Sprint(code, header.Get("Link"))
		return nil
	}})
	request, _ := http.NewRequestWithContext(ctx, "POST", h.url, struct{ io.Reader }{strings.NewReader("body")})
	request.Trailer = http.Header{"X-Up": {"went up"}}
	response, err := h.http2Visitor().Do(request)
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

func TestHTTP2LargeBodiesBothWays(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.Copy(w, r.Body)
	})
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // 8 MiB
	visitor := h.http2Visitor()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			response, err := visitor.Post(h.url, "", bytes.NewReader(text))
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d bytes came back, %v", len(got), err)
			}
		})
	}
	all.Wait()
	h.idle("hello")
}

// A slow app slows its visitor: little of an upload is taken in before the app takes it.
func TestHTTP2UploadWaitsForTheApp(t *testing.T) {
	h := newHouse(t, nil)
	read := make(chan struct{})
	h.replica("hello", "r1", func(_ http.ResponseWriter, r *http.Request) {
		<-read
		_, _ = io.Copy(io.Discard, r.Body)
	})
	source := &counted{left: 64 << 20}
	done := make(chan error, 1)
	go func() {
		response, err := h.http2Visitor().Post(h.url, "", source)
		if err == nil {
			response.Body.Close()
		}
		done <- err
	}()
	eventually(t, "it begins", func() bool { return source.count() > 0 })
	settled := func() bool {
		before := source.count()
		time.Sleep(100 * time.Millisecond)
		return source.count() == before
	}
	eventually(t, "it halts", settled)
	if n := source.count(); n > 32<<20 { // the sockets' buffers are most of it
		t.Errorf("%d MiB were taken in", n>>20)
	}
	close(read)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// counted is a body of so many bytes.
type counted struct {
	mu         sync.Mutex
	left, read int
}

func (c *counted) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(p), c.left)
	c.left, c.read = c.left-n, c.read+n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *counted) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}

// A truncated answer never looks complete.
func TestHTTP2TruncationIsAReset(t *testing.T) {
	h := newHouse(t, nil)
	for _, header := range []string{"Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"} {
		h.app("hello").Remove("r1", 0)
		h.rawReplica("hello", "r1", truncating(header))
		response, err := h.http2Visitor().Get(h.url)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(response.Body)
		if err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
			t.Errorf("%s got %v", header, err)
		}
	}
}

// A visitor who leaves is held no longer.
func TestHTTP2CancelEndsTheHold(t *testing.T) {
	h := newHouse(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, "POST", h.url, strings.NewReader("x"))
	done := make(chan error, 1)
	go func() {
		_, err := h.http2Visitor().Do(request)
		done <- err
	}()
	waitFor(h, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	waitFor(h, 0)
}

// case B125: aborted uploads cost the connection nothing.
func TestHTTP2ConnectionSurvivesAbortedUploads(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole" {
			n, _ := io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, n)
			return
		}
		_, _ = io.ReadFull(r.Body, make([]byte, 10<<10))
		panic(http.ErrAbortHandler)
	})
	visitor := h.http2Visitor()
	part := make([]byte, 1<<20)
	for range 100 {
		if response, err := visitor.Post(h.url, "", bytes.NewReader(part)); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}
	response, err := visitor.Post(h.url+"/whole", "", bytes.NewReader(make([]byte, 5<<20)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(response.Body); string(text) != fmt.Sprint(5<<20) {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestHTTP2DrainLetsStreamsEnd(t *testing.T) {
	h := newHouse(t, nil)
	visitor := h.http2Visitor()
	got := make(chan error, 1)
	go func() {
		response, err := visitor.Get(h.url)
		if err == nil && response.StatusCode != 200 {
			err = fmt.Errorf("status %d", response.StatusCode)
		}
		got <- err
	}()
	waitFor(h, 1)
	done := h.drain(10 * time.Second)
	h.replica("hello", "r1", named("r1"))
	if err := <-got; err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("drain: %v", err)
	}
}

// tooLarge is a header that Go's own client, which heeds the limit, does not even send.
func tooLarge() http.Header {
	header := http.Header{}
	for i := range 4 {
		header.Set(fmt.Sprint("X-", i), strings.Repeat("x", 40<<10))
	}
	return header
}

func TestHTTP2HeaderTooLarge(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	peer := h.http2Peer()
	peer.ask(1, tooLarge(), true)
	if status := peer.status(1); status != "431" {
		t.Errorf("got %s", status)
	}
}

// CVE-2024-27316's shape: a header block that never ends.
func TestHTTP2ContinuationFlood(t *testing.T) {
	h := newHouse(t, nil)
	peer := h.http2Peer()
	if err := peer.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: peer.block("GET", nil)}); err != nil {
		t.Fatal(err)
	}
	more := bytes.Repeat([]byte("\x00\x01x\x01y"), 3000) // x: y, not in the table
	for range 10_000 {
		if peer.framer.WriteContinuation(1, false, more) != nil {
			break
		}
	}
	if frame := peer.until(http2.FrameGoAway); frame == nil {
		if err := peer.ended(); err == nil {
			t.Error("nobody minds")
		}
	}
}

// case B139, CVE-2023-44487: streams that are reset at once. The app is asleep, and nothing is left waiting for it.
func TestHTTP2RapidReset(t *testing.T) {
	h := newHouse(t, nil)
	peer := h.http2Peer()
	for id := uint32(1); id < 20_000; id += 2 {
		if peer.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: peer.block("GET", nil), EndHeaders: true, EndStream: true}) != nil ||
			peer.framer.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
			break
		}
	}
	frame, ok := peer.until(http2.FrameGoAway).(*http2.GoAwayFrame)
	if !ok || frame.ErrCode != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("got %v", frame)
	}
	waitFor(h, 0)
}

// More streams than allowed are refused, such that the client may try again.
func TestHTTP2RefusesTooManyStreams(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Queue = 1000 })
	peer := h.http2Peer()
	for id := uint32(1); id <= 2*250+1; id += 2 {
		peer.ask(id, nil, true)
	}
	frame, ok := peer.until(http2.FrameRSTStream).(*http2.RSTStreamFrame)
	if !ok || frame.StreamID != 501 || frame.ErrCode != http2.ErrCodeRefusedStream {
		t.Errorf("got %v", frame)
	}
}
