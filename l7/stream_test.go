package l7

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// case B094: the header leaves before the first event, and each event when it comes.
func TestEventsAreNotHeldBack(t *testing.T) {
	h := newHouse(t, nil)
	next := make(chan string)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n")
		for event := range next {
			io.WriteString(conn, event)
		}
	})
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil) // blocks if the header is held back
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		event := fmt.Sprintf("data: %d\n\n", i)
		next <- event
		got := make([]byte, len(event))
		if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != event {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	close(next)
	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) != 0 {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// A part of a body of known length leaves as well when no more is ready.
func TestSlowDownloadIsNotHeldBack(t *testing.T) {
	h := newHouse(t, nil)
	more := make(chan struct{})
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
		<-more
		io.WriteString(conn, "def")
	})
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	r := bufio.NewReader(conn)
	head(r)
	got := make([]byte, 6)
	if _, err := io.ReadFull(r, got[:3]); err != nil {
		t.Fatal(err)
	}
	close(more)
	if _, err := io.ReadFull(r, got[3:]); err != nil || string(got) != "abcdef" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLargeBodiesBothWays(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		io.Copy(w, r.Body)
	})
	text := strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB
	for _, body := range []io.Reader{strings.NewReader(text), struct{ io.Reader }{strings.NewReader(text)}} {
		if got := h.do(http.MethodPost, "/", body); got.err != nil || got.body != text {
			t.Errorf("%T: got %d bytes, %v", body, len(got.body), got.err)
		}
	}
}

// case B121
func TestTrailersPassBothWays(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Announced")
		io.WriteString(w, r.Header.Get("Te"))
		w.(http.Flusher).Flush()
		w.Header().Set("X-Announced", r.Trailer.Get("X-Sum"))
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
	})
	r, _ := http.NewRequest(http.MethodPost, h.url, struct{ io.Reader }{strings.NewReader("body")})
	r.Header.Set("Te", "trailers")
	r.Trailer = http.Header{"X-Sum": {"42"}}
	response, err := visiting.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, announced := response.Trailer["X-Announced"]; !announced {
		t.Error("the trailer is not announced")
	}
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "trailers" {
		t.Errorf("got %q, %v", text, err)
	}
	if got := response.Trailer; got.Get("X-Announced") != "42" || got.Get("X-Late") != "1" {
		t.Errorf("the trailer is %v", got)
	}
}

func TestHeadAndEmptyAnswers(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.Header().Set("Etag", `"x"`)
			w.WriteHeader(304)
		default:
			w.Header().Set("Content-Length", "12345")
		}
	})
	if got := h.do(http.MethodHead, "/", nil); got.ContentLength != 12345 || got.body != "" {
		t.Errorf("HEAD: %d %q", got.ContentLength, got.body)
	}
	for path, status := range map[string]int{"/204": 204, "/304": 304} {
		if got := h.get(path); got.StatusCode != status || got.body != "" || got.err != nil {
			t.Errorf("%s: %d %q %v", path, got.StatusCode, got.body, got.err)
		}
	}
}

// What the app leaves out is not made up.
func TestContentTypeIsNotGuessed(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")
	})
	if kind, there := h.get("/").Header["Content-Type"]; there {
		t.Errorf("Content-Type is %q", kind)
	}
}

func TestEarlyHintsPass(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		io.WriteString(w, "done")
	})
	var hints []string
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			hints = append(hints, fmt.Sprint(code, " ", header.Get("Link")))
			return nil
		},
	})
	got, err := h.try(ctx, http.MethodGet, "/", nil)
	if err != nil || got.body != "done" || got.Header.Get("Link") != "" {
		t.Errorf("got %q %v, %v", got.body, got.Header, err)
	}
	if len(hints) != 1 || hints[0] != "103 </style.css>; rel=preload" {
		t.Errorf("the hints are %q", hints)
	}
}

// case B106: an app that refuses without reading is heard, and nobody sends the body.
func TestExpectContinueThatIsRefused(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		if text := head(r); !strings.Contains(text, "Expect: 100-continue\r\n") {
			t.Errorf("the app saw %q", text)
		}
		io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
	})
	back := h.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 401 ") {
		t.Errorf("got %q", back)
	}
	h.idle("hello")
}

// case B107
func TestExpectContinueThatIsGranted(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	conn := h.dial()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
	r := bufio.NewReader(conn)
	if first := head(r); !strings.HasPrefix(first, "HTTP/1.1 100 ") {
		t.Fatalf("got %q", first)
	}
	io.WriteString(conn, "hello")
	rest, _ := io.ReadAll(r)
	if !strings.HasPrefix(string(rest), "HTTP/1.1 200 ") || !strings.HasSuffix(string(rest), "hello") {
		t.Errorf("got %q", rest)
	}
}

// An early answer reaches a visitor who is still sending, and the story does not wait for him.
func TestEarlyAnswerToASlowUpload(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	conn := h.dial()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegun")
	if first := head(bufio.NewReader(conn)); !strings.HasPrefix(first, "HTTP/1.1 413 ") {
		t.Fatalf("got %q", first)
	}
	h.idle("hello")
	eventually(t, "the story ends", func() bool { return len(h.access.all()) == 1 })
}

// case B064: a silent connection holds nothing.
func TestIdleConnectionHoldsNoLease(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	head(bufio.NewReader(conn))
	h.idle("hello")
}

// case B119
func TestHeaderThatIsTooLarge(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		for i := range 400 {
			w.Header().Add("Set-Cookie", fmt.Sprint(i, "=", strings.Repeat("x", 1000)))
		}
	})
	if got := h.get("/"); got.StatusCode != 502 || got.Header.Get(reasonHeader) != "bad-response" {
		t.Errorf("the app's: got %d %q", got.StatusCode, got.Header.Get(reasonHeader))
	}
	if got := h.get("/", "Cookie", strings.Repeat("x", 2<<20)); got.StatusCode != 431 {
		t.Errorf("the visitor's: got %d", got.StatusCode)
	}
}

// A visitor who reads nothing stops the app through TCP, and his leaving ends it.
func TestBackpressure(t *testing.T) {
	h := newHouse(t, nil)
	stuck := make(chan error, 1)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		block := make([]byte, 1<<20)
		for range 64 {
			_ = conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
			if _, err := conn.Write(block); err != nil {
				stuck <- err
				return
			}
		}
		stuck <- nil
	})
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-stuck; !errors.Is(err, context.DeadlineExceeded) && !isTimeout(err) {
		t.Errorf("64 MiB went somewhere: %v", err)
	}
	conn.Close()
	h.idle("hello")
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
