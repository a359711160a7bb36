package l7

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/fairlead/fairlead/pool"
)

// A fault of ours under one exchange ends that one, by whatever protocol it came: the next one is served.
func TestAPanicEndsOneExchange(t *testing.T) {
	overProtocols(t, func(t *testing.T, open opener) {
		h := open(t, nil)
		h.front.log = slog.New(slog.DiscardHandler)
		h.front.server.Log = h.front.log
		leased := make(chan *pool.Replica, 1)
		h.reports.then = func(lease pool.Lease) {
			leased <- lease.Replica
			panic("at the disco")
		}
		l := h.rawReplica("hello", "r1", func(_ net.Conn, r *bufio.Reader) { head(r) })
		if got, err := h.try(t.Context(), http.MethodPost, "/", nil); err == nil {
			t.Errorf("got %v", got.Response)
		}
		held := <-leased
		eventually(t, "the lease is given back", func() bool { return held.Leases() == 0 })
		l.Close()
		h.app("hello").Remove("r1", 0)
		h.replica("hello", "r2", named("r2"))
		if got := h.get("/"); got.StatusCode != http.StatusOK {
			t.Errorf("the next one got %v %q", got.Response, got.body)
		}
	})
}

// faulty panics once.
type faulty struct{ once sync.Once }

func (f *faulty) Write(p []byte) (int, error) {
	f.once.Do(func() { panic("out of paper") })
	return len(p), nil
}

// It is the same with what is turned away: the connection and its other streams go on.
func TestAPanicEndsOneRefusal(t *testing.T) {
	h := newHouse(t, nil)
	h.front.log, h.front.access.to = slog.New(slog.DiscardHandler), &faulty{}
	h.replica("hello", "r1", named("r1"))
	p := h.http2Peer()
	p.ask(1, tooLarge(), true)
	p.ask(3, nil, true)
	if got := p.status(3); got != "200" {
		t.Errorf("the next one got %s", got)
	}
}
