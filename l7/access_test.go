package l7

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

func (h *house) onlyLine() string {
	h.t.Helper()
	eventually(h.t, "a line is written", func() bool { return len(h.access.all()) > 0 })
	all := h.access.all()
	if len(all) != 1 || strings.Count(all[0], "\n") != 1 {
		h.t.Fatalf("the log has %q", all)
	}
	return all[0]
}

func TestAccessLineTellsTheRequest(t *testing.T) { overProtocols(t, testAccessLineTellsTheRequest) }

func testAccessLineTellsTheRequest(t *testing.T, newHouse opener) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	h.get("/a%2Fb?token=secret", "Host", "a.example.org", "User-Agent", "tester", "Cookie", "secret", "Authorization", "secret",
		"Referer", "https://x/y?token=secret")
	text := h.onlyLine()
	if strings.Contains(text, "secret") {
		t.Errorf("a secret is in %q", text)
	}
	var got line
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Seconds <= 0 || got.Time.IsZero() || got.Bytes == 0 {
		t.Errorf("got %+v", got)
	}
	want := line{
		Time: got.Time, Seconds: got.Seconds, Bytes: got.Bytes,
		Client: "127.0.0.1", Host: "a.example.org", Method: "GET", Path: "/a%2Fb", Proto: h.proto,
		Status: 200, App: "hello", Replica: "r1", Agent: "tester", Referer: "https://x/y",
	}
	if got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

// case B193
func TestNothingCanBeInjected(t *testing.T) {
	for _, format := range []string{"json", "text"} {
		h := newHouse(t, func(c *conf.Config) { c.Log.Access.Format = format })
		h.replica("hello", "r1", named("r1"))
		h.raw("GET /\"\x80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Agent: a\" 200 \t\xe2\x80\xa8\x9b31m\\\r\nReferer: \"\r\n\r\n")
		text := strings.TrimSuffix(h.onlyLine(), "\n")
		for _, r := range text {
			if r < ' ' || r == 0x7f || r == 0x2028 || r >= 0x80 && r < 0xa0 {
				t.Errorf("%s: %q is in %q", format, r, text)
			}
		}
		if format == "text" && strings.Count(strings.ReplaceAll(strings.ReplaceAll(text, `\\`, ""), `\"`, ""), `"`) != 6 {
			t.Errorf("fields can be forged: %s", text)
		}
	}
}

// case B193
func TestAbortedRequestHasItsLine(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
	})
	h.get("/")
	for _, want := range []string{`"status":200`, `"bytes":5`, `"aborted":true`} {
		if text := h.onlyLine(); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	metricIs(t, h, `fairlead_http_requests_total{app="hello",class="aborted"} 1`)
}

func TestRefusalsHaveTheirReason(t *testing.T) {
	h := newHouse(t, nil)
	h.get("/", navigation...)
	if text := h.onlyLine(); !strings.Contains(text, `"status":503`) || !strings.Contains(text, `"reason":"starting"`) {
		t.Errorf("got %s", text)
	}
}

// A log that cannot be written stops nothing.
func TestFullDisk(t *testing.T) {
	h := newHouse(t, nil)
	h.front.access.to = broken{}
	h.replica("hello", "r1", named("r1"))
	if got := h.get("/"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d", got.StatusCode)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A log without room holds up its own visitors, not an event loop and whoever else is on it.
func TestLogWithoutRoom(t *testing.T) {
	h := newHouse(t, nil)
	log := make(stuck)
	defer close(log)
	h.front.access.to = log
	h.replica("hello", "r1", named("r1"))
	for i := range 4 * goruntime.NumCPU() {
		conn, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatalf("visitor %d: %v", i, err)
		}
	}
}

// stuck takes no line until it is closed.
type stuck chan struct{}

func (stuck) TryWrite([]byte) bool { return false }

func (s stuck) Write(p []byte) (int, error) {
	<-s
	return len(p), nil
}
