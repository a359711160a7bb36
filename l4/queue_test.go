package l4

import (
	"context"
	"net"
	"syscall"
	"testing"
	"time"
)

// fillQueue connects until the listener's accept queue takes no more: a dial then hangs as one to a dead address does.
func fillQueue(t *testing.T, address string) {
	t.Helper()
	for range 10_000 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		cancel()
		if err != nil {
			return
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Skip("the accept queue has no end here")
}

// backlogOf shrinks the accept queue of a listener.
func backlogOf(t *testing.T, listener net.Listener, n int) {
	t.Helper()
	raw, err := listener.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), n) })
	if err != nil {
		t.Fatal(err)
	}
}
