package probe_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
)

// redis answers a PING as it is told to.
func redis(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		defer conn.Close()
		if _, err := io.ReadFull(conn, make([]byte, len("PING\r\n"))); err == nil {
			_, _ = io.WriteString(conn, answer)
		}
	}
}

func TestConversation(t *testing.T) {
	for name, c := range map[string]struct {
		serve        func(net.Conn)
		send, expect string
		want         error // nil: it passes
	}{
		"the answer":             {redis("+PONG\r\n"), "PING\r\n", "+PONG", nil},
		"any answer":             {redis("-LOADING\r\n"), "PING\r\n", "", nil},
		"another answer":         {redis("-LOADING\r\n"), "PING\r\n", "+PONG", io.EOF},
		"a greeting":             {speaks, "", "220 ", nil},
		"another greeting":       {speaks, "", "421 ", io.EOF},
		"silence":                {silent, "PING\r\n", "+PONG", probe.ErrTimeout},
		"a forwarder without it": {func(conn net.Conn) { conn.Close() }, "", "220 ", probe.ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &app{serve: c.serve}
				check := probe.Check{Kind: probe.TCP, Addr: addr, Send: c.send, Expect: c.expect, Timeout: time.Second}
				wantErr(t, a.prober().Once(t.Context(), check), c.want)
			})
		})
	}
}

// What was said instead is what an operator needs to know (case B166).
func TestAnswerErrorShowsTheAnswer(t *testing.T) {
	a := &app{serve: redis("-LOADING\r\n")}
	err := a.prober().Once(t.Context(), probe.Check{Kind: probe.TCP, Addr: addr, Send: "PING\r\n", Expect: "+PONG"})
	got := &probe.AnswerError{}
	if !errors.As(err, &got) || string(got.Got) != "-LOADING\r\n" || got.Want != "+PONG" {
		t.Errorf("got %v", err)
	}
}

func TestUDP(t *testing.T) {
	server, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		buffer := make([]byte, 100)
		for {
			n, from, err := server.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			if n > 0 {
				_, _ = server.WriteToUDPAddrPort([]byte("pong to "+string(buffer[:n])), from)
			}
		}
	}()
	check := probe.Check{Kind: probe.UDP, Addr: netip.MustParseAddrPort(server.LocalAddr().String()), Direct: true, Timeout: time.Second}
	once := func(send, expect string) error {
		check.Send, check.Expect = send, expect
		return probe.Prober{}.Once(t.Context(), check)
	}
	wantErr(t, once("", ""), nil) // nobody refuses
	wantErr(t, once("ping", ""), nil)
	wantErr(t, once("ping", "pong to ping"), nil)
	wantErr(t, once("", "hello"), probe.ErrTimeout)
	wantErr(t, once("ping", "hello"), probe.ErrTimeout)
	server.Close()
	wantErr(t, once("", ""), syscall.ECONNREFUSED)
	wantErr(t, once("ping", "pong"), syscall.ECONNREFUSED)
}
