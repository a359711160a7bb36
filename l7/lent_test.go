package l7

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"unsafe"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/pool"
)

// lender makes strings that point into buffers which are used again.
type lender struct{ lent [][]byte }

func (l *lender) lend(s string) string {
	b := []byte(s)
	l.lent = append(l.lent, b)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (l *lender) poison() {
	for _, b := range l.lent {
		for i := range b {
			b[i] = '!'
		}
	}
}

// taken is an Answer that keeps copies.
type taken struct {
	status int
	header fields.List
	body   strings.Builder
}

func (a *taken) Interim(int, fields.List) error { return nil }
func (a *taken) Start(status int, h fields.List, _ int64) error {
	a.status, a.header = status, h.Clone()
	return nil
}
func (a *taken) Write(p []byte) (int, error)                   { return a.body.Write(p) }
func (a *taken) Flush() error                                  { return nil }
func (a *taken) Finish(fields.List)                            {}
func (a *taken) Abort()                                        { a.status = -1 }
func (a *taken) Upgrade(fields.List) (net.Conn, []byte, error) { return nil, nil, io.ErrClosedPipe }
func (a *taken) StopReading()                                  {}

// visit tells one story with everything lent, and takes it all back.
func (h *house) visit(cookie string) *taken {
	l, a := &lender{}, &taken{}
	h.front.Tell(context.Background(), &Exchange{
		Method: l.lend("GET"), Target: l.lend("/a%2Fb?x=1"), Host: l.lend("Somewhere.example.org:81"), Proto: "HTTP/1.1",
		Header: fields.List{
			{Name: l.lend("accept"), Value: l.lend("text/html")}, {Name: l.lend("Cookie"), Value: l.lend(cookie)},
			{Name: l.lend("User-Agent"), Value: l.lend("tester")},
		},
		Remote: l.lend("192.0.2.1:1234"), Answer: a,
	})
	l.poison()
	return a
}

// What a front end lends is its own again when Tell returns: nothing of it stays in sessions, metrics or the log.
func TestNothingLentIsKept(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", named("r1"))
	h.replica("hello", "r2", named("r2"))
	earlier := "__fairlead_hello=" + h.front.key.seal("hello", binding{session: pool.NewSessionID(), replica: "r2", start: "start of r2"})
	for _, cookie := range []string{"", "__fairlead_wait_hello=abc", earlier} {
		first := h.visit(cookie)
		for header := range first.header.All("Set-Cookie") {
			if pair, _, _ := strings.Cut(header, ";"); strings.HasPrefix(pair, stickyPrefix) {
				cookie = pair
			}
		}
		again := h.visit(cookie)
		if first.status != http.StatusOK || first.body.String() != again.body.String() || again.header.Count("Set-Cookie") != 1 {
			t.Errorf("%q: got %d %q, then %q %v", cookie, first.status, first.body.String(), again.body.String(), again.header)
		}
	}
	for _, text := range append(h.access.all(), exposition(t, h)) {
		if strings.Contains(text, "!") {
			t.Errorf("what was lent is in %q", text)
		}
	}
}
