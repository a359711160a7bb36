package l7

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
	"testing"
)

// case B211: with no descriptor left, the replica is not to blame. Were it out of the pick, visitors would wait for it, and
// each of them holds the descriptor that the next needs.
func TestOurWantOfDescriptorsIsNoLoss(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	dial := h.front.client.Dial
	h.front.client.Dial = func(context.Context, netip.AddrPort, bool) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}
	got := h.get("/")
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get(reasonHeader) != "full" || got.Header.Get("Retry-After") == "" || !got.Close {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	if n := h.reports.count(); n > 0 {
		t.Errorf("%d failures are reported", n)
	}
	h.front.client.Dial = dial
	if got := h.get("/"); got.replica() != "r1" {
		t.Errorf("after it: %d", got.StatusCode)
	}
}
