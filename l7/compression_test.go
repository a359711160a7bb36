package l7

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/fairlead/fairlead/conf"
)

var longText = strings.Repeat("a text that is worth it. ", 1000)

func unpacked(t *testing.T, a answer) string {
	t.Helper()
	var from io.Reader = strings.NewReader(a.body)
	var err error
	switch a.Header.Get("Content-Encoding") {
	case "gzip":
		from, err = gzip.NewReader(from)
	case "zstd":
		from, err = zstd.NewReader(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// case B124
func TestCompression(t *testing.T) { overProtocols(t, testCompression) }

func testCompression(t *testing.T, newHouse opener) {
	for what, c := range map[string]struct {
		method, ask string // header of the request: "Name: value"
		status      int
		say         string // headers of the answer
		body        string
		coding      string
		vary        string
	}{
		"zstd":            {ask: "Accept-Encoding: gzip, br, zstd", coding: "zstd", vary: "Accept-Encoding"},
		"gzip":            {ask: "Accept-Encoding: gzip", coding: "gzip", vary: "Accept-Encoding"},
		"not taken":       {vary: "Accept-Encoding"},
		"not wanted":      {ask: "Accept-Encoding: gzip;q=0", vary: "Accept-Encoding"},
		"no length":       {ask: "Accept-Encoding: gzip", say: "Trailer: X", coding: "gzip", vary: "Accept-Encoding"},
		"an error":        {ask: "Accept-Encoding: gzip", status: 500, coding: "gzip", vary: "Accept-Encoding"},
		"varies already":  {ask: "Accept-Encoding: gzip", say: "Vary: Cookie", coding: "gzip", vary: "Cookie, Accept-Encoding"},
		"HEAD":            {method: "HEAD", ask: "Accept-Encoding: gzip", vary: "Accept-Encoding"},
		"a range asked":   {ask: "Accept-Encoding: gzip\nRange: bytes=0-", vary: "Accept-Encoding"},
		"a range given":   {ask: "Accept-Encoding: gzip\nRange: bytes=0-", status: 206, say: "Content-Range: bytes 0-24999/25000"},
		"encoded already": {ask: "Accept-Encoding: gzip", say: "Content-Encoding: br"},
		"no-transform":    {ask: "Accept-Encoding: gzip", say: "Cache-Control: public, no-transform"},
		"asked not to":    {ask: "Accept-Encoding: gzip\nCache-Control: no-transform", vary: "Accept-Encoding"},
		"a digest":        {ask: "Accept-Encoding: gzip", say: "Repr-Digest: sha-256=:x:"},
		"a picture":       {ask: "Accept-Encoding: gzip", say: "Content-Type: image/png"},
		"small":           {ask: "Accept-Encoding: gzip", body: "small"},
		"unbuffered":      {ask: "Accept-Encoding: gzip", say: "X-Accel-Buffering: no"},
	} {
		t.Run(what, func(t *testing.T) {
			text := c.body
			if text == "" {
				text = longText
			}
			h := newHouse(t, hello(func(a *conf.App) { a.Compress = true }))
			h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Etag", `"a"`)
				for line := range strings.SplitSeq(c.say, "\n") {
					if name, value, ok := strings.Cut(line, ": "); ok {
						w.Header().Set(name, value)
					}
				}
				if w.Header().Get("Trailer") == "" {
					w.Header().Set("Content-Length", strconv.Itoa(len(text)))
				}
				if c.status != 0 {
					w.WriteHeader(c.status)
				}
				io.WriteString(w, text)
			})
			var ask []string
			for line := range strings.SplitSeq(c.ask, "\n") {
				if name, value, ok := strings.Cut(line, ": "); ok {
					ask = append(ask, name, value)
				}
			}
			method := c.method
			if method == "" {
				method = "GET"
			}
			got := h.do(method, "/", nil, ask...)
			wanted := c.coding
			if strings.Contains(c.say, "Content-Encoding: br") {
				wanted = "br"
			}
			if coding := got.Header.Get("Content-Encoding"); coding != wanted {
				t.Fatalf("coding %q, want %q", coding, wanted)
			}
			if vary := got.Header.Get("Vary"); vary != c.vary {
				t.Errorf("Vary: %s, want %s", vary, c.vary)
			}
			tag := `"a"`
			if c.coding != "" {
				tag = `W/"a"`
				if len(got.body) > len(text)/2 || got.Header.Get("Content-Length") != "" {
					t.Errorf("%d bytes, Content-Length %s", len(got.body), got.Header.Get("Content-Length"))
				}
			}
			if got.Header.Get("Etag") != tag {
				t.Errorf("ETag %s", got.Header.Get("Etag"))
			}
			if method != "HEAD" && wanted != "br" && unpacked(t, got) != text {
				t.Error("another text came out")
			}
		})
	}
}

// case B094: compression holds back no piece, and leaves event streams alone.
func TestCompressedStream(t *testing.T) {
	for kind, coding := range map[string]string{"text/plain": "gzip", "text/event-stream; charset=utf-8": ""} {
		h := newHouse(t, hello(func(a *conf.App) { a.Compress = true }))
		more := make(chan struct{})
		h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			for range 3 {
				io.WriteString(w, "data: piece\n\n")
				w.(http.Flusher).Flush()
				<-more
			}
		})
		r, _ := http.NewRequest("GET", h.url, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		response, err := visiting.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if got := response.Header.Get("Content-Encoding"); got != coding {
			t.Fatalf("%s: coding %q", kind, got)
		}
		var from io.Reader = response.Body
		if coding == "gzip" {
			if from, err = gzip.NewReader(from); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			piece := make([]byte, len("data: piece\n\n"))
			if _, err := io.ReadFull(from, piece); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			more <- struct{}{}
		}
		if rest, err := io.ReadAll(from); len(rest) > 0 || err != nil {
			t.Errorf("%s: then %q, %v", kind, rest, err)
		}
	}
}

// What the app cut must not decode as a whole.
func TestCompressedAnswerThatIsCut(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) { a.Compress = true }))
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"+longText)
	})
	got := h.get("/", "Accept-Encoding", "gzip")
	if got.err == nil {
		t.Error("a clean end")
	}
	if from, err := gzip.NewReader(bytes.NewReader([]byte(got.body))); err == nil {
		if _, err := io.ReadAll(from); err == nil {
			t.Error("it decodes as a whole")
		}
	}
	h.idle("hello")
	eventually(t, "it is reported", func() bool { return h.reports.count() == 1 })
}

// The bytes in the log are those that left.
func TestCompressedBytesAreLogged(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) { a.Compress = true }))
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, longText)
	})
	got := h.get("/", "Accept-Encoding", "zstd")
	if want := `"bytes":` + strconv.Itoa(len(got.body)); !strings.Contains(h.onlyLine(), want) {
		t.Errorf("no %s in %s", want, h.onlyLine())
	}
}
