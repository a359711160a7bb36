package l7

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// witness is an app that writes down what it sees, and believes whatever framing it is shown.
type witness struct {
	mu   sync.Mutex
	seen []string
}

func (w *witness) serve(conn net.Conn, r *bufio.Reader) {
	for {
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		w.mu.Lock()
		w.seen = append(w.seen, request.RequestURI)
		w.mu.Unlock()
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	}
}

func (w *witness) targets() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// case B118: the app never sees a second request, and what is ambiguous is one answer and the end.
func TestSmugglingCorpus(t *testing.T) {
	h := newHouse(t, nil)
	w := &witness{}
	h.rawReplica("hello", "r1", w.serve)
	asked := map[string]bool{}
	const post = "POST /first HTTP/1.1\r\nHost: x\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
		asked  bool // the app may have seen the first request
	}{
		"CL.TE":                       {post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, false},
		"TE.CL":                       {post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n", 400, false},
		"CL.0":                        {post + "Content-Length: 0, 55\r\n\r\n", 400, false},
		"two lengths":                 {post + "Content-Length: 0\r\nContent-Length: 55\r\n\r\n", 400, false},
		"the same length twice":       {post + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400, false},
		"signed length":               {post + "Content-Length: +0\r\n\r\n", 400, false},
		"hexadecimal length":          {post + "Content-Length: 0x0\r\n\r\n", 400, false},
		"length of two numbers":       {post + "Content-Length: 0 55\r\n\r\n", 400, false},
		"huge length":                 {post + "Content-Length: 18446744073709551616\r\n\r\n", 400, false},
		"TE with tab before":          {post + "Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, false},
		"TE with vertical tab":        {post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400, false},
		"TE with CR":                  {post + "Transfer-Encoding: \rchunked\r\n\r\n0\r\n\r\n", 400, false},
		"TE twice":                    {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400, false},
		"TE unknown":                  {post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, false},
		"TE identity":                 {post + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n", 400, false},
		"TE list":                     {post + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", 400, false},
		"TE quoted":                   {post + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 400, false},
		"TE underscore":               {post + "Connection: close\r\nTransfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 200, true},
		"TE in HTTP/1.0":              {"POST /first HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, false},
		"space before colon":          {post + "Content-Length : 55\r\n\r\n", 400, false},
		"space before TE's colon":     {post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400, false},
		"folded":                      {post + "X: a\r\n Content-Length: 55\r\n\r\n", 400, false},
		"folded TE":                   {post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400, false},
		"folded first line":           {post[:len(post)-len("Host: x\r\n")] + " X: a\r\nHost: x\r\n\r\n", 400, false},
		"NUL":                         {post + "X: a\x00b\r\n\r\n", 400, false},
		"NUL in a name":               {post + "Content-Length\x00: 55\r\n\r\n", 400, false},
		"bare LF":                     {post + "X: a\nContent-Length: 55\r\n\r\n", 400, false},
		"bare CR":                     {post + "X: a\rContent-Length: 55\r\n\r\n", 400, false},
		"head that ends in LF LF":     {"POST /first HTTP/1.1\nHost: x\n\n", 400, false},
		"line without a colon":        {post + "Content-Length\r\n\r\n", 400, false},
		"no name":                     {post + ": 55\r\n\r\n", 400, false},
		"two Hosts":                   {post + "Host: y\r\n\r\n", 400, false},
		"no Host":                     {"POST /first HTTP/1.1\r\n\r\n", 400, false},
		"another Host":                {"POST http://y/first HTTP/1.1\r\nHost: x\r\n\r\n", 400, false},
		"HTTP/0.9":                    {"GET /first\r\n", 400, false},
		"HTTP/1.1 in lower case":      {"GET /first http/1.1\r\nHost: x\r\n\r\n", 400, false},
		"a request in the target":     {"GET /first HTTP/1.1 GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", 400, false},
		"HTTP/2 without a preface":    {"GET /first HTTP/2.0\r\nHost: x\r\n\r\n", 505, false},
		"chunk size":                  {post + "Transfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n", 400, true},
		"chunk size with a sign":      {post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400, true},
		"chunk size that overflows":   {post + "Transfer-Encoding: chunked\r\n\r\n10000000000000001\r\nx\r\n0\r\n\r\n", 400, true},
		"chunk longer than its size":  {post + "Transfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n", 400, true},
		"chunk that ends in LF":       {post + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\n0\r\n\r\n", 400, true},
		"bare LF in an extension":     {post + "Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n", 400, true},
		"bare CR in an extension":     {post + "Transfer-Encoding: chunked\r\n\r\n2;\rxx\r\n0\r\n\r\n", 400, true},
		"chunk line that ends in LF":  {post + "Transfer-Encoding: chunked\r\n\r\n0\n\r\n", 400, true},
		"space before a chunk's size": {post + "Transfer-Encoding: chunked\r\n\r\n 0\r\n\r\n", 400, true},
		"trailer that ends in LF":     {post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: a\n\n", 400, true},
		"Content-Length in a trailer": {post + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\nContent-Length: 55\r\n\r\n", 200, true},
		"Expect that is unknown":      {post + "Expect: smuggling\r\nContent-Length: 0\r\n\r\n", 417, false},
		"a body that is a request":    {post + fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n\r\n", len(smuggled)), 200, true},
	} {
		back := h.raw(strings.Replace(c.text, "/first", "/"+url.PathEscape(name), 1) + smuggled)
		if !strings.HasPrefix(back, fmt.Sprintf("HTTP/1.1 %d ", c.status)) || strings.Count(back, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: got %q, want one %d", name, back, c.status)
		}
		asked["/"+url.PathEscape(name)] = c.asked
	}
	h.idle("hello")
	for _, target := range w.targets() {
		if !asked[target] {
			t.Errorf("the app saw %q", target)
		}
	}
	if h.reports.count() != 0 {
		t.Errorf("the app was blamed %d times", h.reports.count())
	}
}

// What a visitor sends in one go is answered in order, on one connection.
func TestPipelinedRequests(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "<%s %s>", r.RequestURI, body)
	})
	var text strings.Builder
	var want strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "POST /%d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n%02d\r\n0\r\n\r\nGET /%d HTTP/1.1\r\nHost: x\r\n\r\n", i, i, i)
		fmt.Fprintf(&want, "</%d %02d></%d >", i, i, i)
	}
	back := h.raw(text.String() + "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	var got strings.Builder
	for r := bufio.NewReader(strings.NewReader(back)); ; {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			break
		}
		_, _ = io.Copy(&got, response.Body)
	}
	if want.WriteString("</last >"); got.String() != want.String() {
		t.Errorf("got %.300q", got.String())
	}
}

// A visitor who leaves while he is held leaves no demand behind, whatever his method.
func TestHeldVisitorWhoLeavesIsNoticed(t *testing.T) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\nhello",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	} {
		h := newHouse(t, nil)
		conn := h.dial()
		io.WriteString(conn, text)
		waitFor(h, 1)
		conn.Close()
		eventually(t, "nobody waits", func() bool { return h.app("hello").Waiting(time.Now()) == 0 })
		eventually(t, "he is written down", func() bool { return len(h.access.all()) == 1 })
		if line := h.access.all()[0]; !strings.Contains(line, `"aborted":true`) {
			t.Errorf("%.10q: the line is %q", text, line)
		}
	}
}

// What is no request has its line and its reason, too.
func TestMalformedRequestIsWrittenDown(t *testing.T) {
	h := newHouse(t, nil)
	for text, reason := range map[string]string{
		"GET / HTTP/1.1\r\nHost : x\r\n\r\n":                       "bad-request",
		"GET /" + strings.Repeat("x", 100_000) + " HTTP/1.1\r\n":   "too-large",
		"GET / HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 300):     "too-large",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello there": "bad-request",
	} {
		before := len(h.access.all())
		if back := h.raw(text); !strings.Contains(back, "\r\nFairlead-Reason: "+reason+"\r\n") || !strings.Contains(back, "\r\nConnection: close\r\n") {
			t.Errorf("%.20q: got %q", text, back)
		}
		eventually(t, "the line", func() bool { return len(h.access.all()) == before+1 })
		if line := h.access.all()[before]; !strings.Contains(line, `"reason":"`+reason+`"`) || !strings.Contains(line, `"client":"127.0.0.1"`) {
			t.Errorf("the line is %q", line)
		}
	}
}

// A slow body is the visitor's fault, and said so.
func TestSlowBody(t *testing.T) {
	h := newHouse(t, nil)
	h.front.server.BodyTimeout = 50 * time.Millisecond
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	if back := h.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"); !strings.HasPrefix(back, "HTTP/1.1 408 ") {
		t.Errorf("got %q", back)
	}
	if h.reports.count() != 0 {
		t.Error("the replica was blamed")
	}
}

// After many bad ends there is not one goroutine or descriptor more.
func TestVisitorsLeaveNothing(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, strings.Repeat("x", 1<<20))
	})
	spoil := func() {
		for _, text := range []string{
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HT", "", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\nab",
			"GET / HTTP/1.1\r\nHost : x\r\n\r\n", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
			"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n",
		} {
			conn, err := net.Dial("tcp", h.addr)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, text)
			if strings.HasPrefix(text, "GET / HTTP") {
				_, _ = conn.Read(make([]byte, 100))
			}
			conn.Close()
		}
	}
	spoil()
	h.idle("hello")
	before := goruntime.NumGoroutine()
	files := descriptors()
	for range 100 {
		spoil()
	}
	h.idle("hello")
	eventually(t, "all goroutines end", func() bool { return goruntime.NumGoroutine() <= before+5 })
	eventually(t, "all descriptors are closed", func() bool { return descriptors() <= files+5 })
}

// descriptors in use; none where there is no such thing.
func descriptors() int {
	all, _ := os.ReadDir("/proc/self/fd")
	return len(all)
}
