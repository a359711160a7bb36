package probe_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
)

var addr = netip.MustParseAddrPort("127.64.0.2:8080")

// app is a listener out of pipes, for bubbles.
type app struct {
	boot  time.Time                // refuses before; zero: never does
	serve func(conn net.Conn)      // the other end of each connection, in a goroutine of its own
	dials atomic.Int64             // how often it was dialled
	last  atomic.Pointer[[]string] // the head of the last request
}

func (a *app) prober() probe.Prober { return probe.Prober{Dial: a.dial} }

func (a *app) dial(context.Context, netip.AddrPort) (net.Conn, error) {
	a.dials.Add(1)
	if time.Now().Before(a.boot) {
		return nil, syscall.ECONNREFUSED
	}
	ours, theirs := net.Pipe()
	go a.serve(theirs)
	return ours, nil
}

// answers serves one request with raw bytes, after a while.
func (a *app) answers(after time.Duration, raw string) *app {
	a.serve = func(conn net.Conn) {
		defer conn.Close()
		head, err := readHead(conn)
		if err != nil {
			return
		}
		a.last.Store(&head)
		time.Sleep(after)
		_, _ = io.WriteString(conn, raw) // the probe may have given up
	}
	return a
}

func readHead(conn net.Conn) (lines []string, err error) {
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadString('\n')
		if err != nil || line == "\r\n" {
			return lines, err
		}
		lines = append(lines, line[:len(line)-2])
	}
}

func (a *app) head() []string { return *a.last.Load() }

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}
