package simulated_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

func direct(c runtime.Container) netip.AddrPort { return netip.AddrPortFrom(c.IPs[0], 8080) }

func get(t *testing.T, conn net.Conn) string {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return string(body)
}

func TestDialFollowsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{ReuseNewest: true}, simulated.Image{Boot: time.Second})
		c := run(t, e, spec("web", "r1"))
		_, err := world.Dial(t.Context(), direct(c))
		wantErr(t, err, syscall.ECONNREFUSED)
		time.Sleep(time.Second)
		conn, err := world.Dial(t.Context(), direct(c))
		must(t, err)
		if got := get(t, conn); got != c.ID+" "+c.Start {
			t.Fatalf("answered %q", got)
		}
		must(t, world.Kill(c.ID))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("after the death: %v", err)
		}
		_, err = world.Dial(t.Context(), direct(c))
		wantErr(t, err, syscall.EHOSTUNREACH)
		other := run(t, e, spec("other", "r1"))
		time.Sleep(time.Second)
		conn, err = world.Dial(t.Context(), direct(c)) // P5: a stranger has the address now
		must(t, err)
		if got := get(t, conn); !strings.HasPrefix(got, other.ID) {
			t.Fatalf("answered %q", got)
		}
		world.CloseConns("")
	})
}

// Behind a published port a connect proves nothing.
func TestForwarderAcceptsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{Rootless: true, Manner: simulated.LikePodman}, simulated.Image{Boot: time.Second})
		c := run(t, e, spec("web", "r1"))
		if c.IPs != nil {
			t.Fatalf("rootless, and has %v", c.IPs)
		}
		began := time.Now()
		conn, err := world.Dial(t.Context(), c.Published[8080])
		must(t, err)
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) != 191*time.Millisecond {
			t.Fatalf("got %v after %v", err, time.Since(began))
		}
		time.Sleep(time.Second)
		conn, err = world.Dial(t.Context(), c.Published[8080])
		must(t, err)
		get(t, conn)
		world.CloseConns("")
	})
}

func TestPausedIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{Serve: simulated.ServeEcho})
		c := run(t, e, spec("web", "r1"))
		conn, err := world.Dial(t.Context(), direct(c))
		must(t, err)
		must(t, world.Pause(c.ID))
		go io.WriteString(conn, "hi")
		must(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
		buf := make([]byte, 2)
		if _, err := conn.Read(buf); err == nil {
			t.Fatalf("a paused app said %q", buf)
		}
		must(t, conn.SetReadDeadline(time.Time{}))
		must(t, world.Unpause(c.ID))
		if _, err := io.ReadFull(conn, buf); err != nil || string(buf) != "hi" {
			t.Fatalf("got %q, %v", buf, err)
		}
		world.CloseConns("")
	})
}

func TestNetworkJoinsWorlds(t *testing.T) {
	a, one := newEngine(simulated.Options{Seed: 1}, simulated.Image{})
	b, two := newEngine(simulated.Options{Seed: 2}, simulated.Image{})
	run(t, a, spec("web", "r1"))
	c := run(t, b, spec("web", "r1"))
	conn, err := simulated.Network{one, two}.Dial(context.Background(), direct(c))
	must(t, err)
	if got := get(t, conn); !strings.HasPrefix(got, c.ID) {
		t.Fatalf("answered %q", got)
	}
	two.CloseConns(c.ID)
}
