package l4

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// case B140: a client that ends its direction first gets the whole answer.
func TestHalfCloseIsKept(t *testing.T) {
	w := newWorld(t, nil)
	answer := strings.Repeat("row\n", 1<<18)
	w.serves("r1", true, func(conn *net.TCPConn) {
		if query, err := io.ReadAll(conn); err == nil {
			_, _ = conn.Write(append(query, answer...))
		}
	})
	client := w.client()
	say(t, client, "query")
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(client)
	if err != nil || string(got) != "query"+answer {
		t.Fatalf("got %d bytes, %v, want %d", len(got), err, len(answer)+5)
	}
	line := w.lines(1)[0]
	if line.Received != 5 || line.Sent != int64(len(got)) || line.App != "db" || line.Replica != "r1" || line.Reason != "" {
		t.Errorf("got %+v", line)
	}
}

// The other way: the app ends its direction first and takes the rest.
func TestHalfCloseOfTheApp(t *testing.T) {
	w := newWorld(t, nil)
	took := make(chan string, 1)
	w.serves("r1", true, func(conn *net.TCPConn) {
		_ = conn.CloseWrite()
		rest, _ := io.ReadAll(conn)
		took <- string(rest)
	})
	client := w.client()
	wantEnd(t, client)
	say(t, client, "late")
	client.Close()
	if got := <-took; got != "late" {
		t.Errorf("the app took %q", got)
	}
}

// case B142: an app that cannot start is a reset at once, and so is one that nobody knows.
func TestNoWayToStart(t *testing.T) {
	ways := map[string]func(*world){
		"removed": func(w *world) { w.app.Close() },
		"failed":  func(w *world) { w.app.SetFailure(&pool.Failure{Reason: "crashed", Until: time.Now().Add(time.Hour)}) },
		"full": func(w *world) {
			w.app.SetPolicy(pool.Policy{Max: 1, Seats: 1})
			w.serves("r1", true, echo)
			w.app.Admit(pool.Visitor{})
		},
		"unknown": func(w *world) { w.pool.Drop("db") },
	}
	for name, prepare := range ways {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			prepare(w)
			began := time.Now()
			w.refused()
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %s", took)
			}
			if l := w.lines(1)[0]; l.Reason == "" {
				t.Errorf("no reason in %+v", l)
			}
		})
	}
}

// case B142: nothing is read from a client before the app is connected. A client that sends more than all buffers hold
// must block.
func TestClientIsNotReadWhileHeld(t *testing.T) {
	w := newWorld(t, nil)
	client := w.client()
	_ = client.SetWriteBuffer(4 << 10)
	w.waits()
	_ = client.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
	sent, err := client.Write(make([]byte, 64<<20))
	if err == nil {
		t.Fatalf("%d bytes were taken from a client whom nobody serves", sent)
	}
	_ = client.SetWriteDeadline(time.Time{})
	w.serves("r1", true, func(conn *net.TCPConn) {
		n, _ := io.Copy(io.Discard, conn)
		if n != int64(sent) {
			t.Errorf("the app got %d of %d bytes", n, sent)
		}
		_, _ = io.WriteString(conn, "all")
	})
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	hear(t, client, "all")
}

// case B143: who speaks first does not matter, and no deadline of the trial is left.
func TestServerSpeaksFirst(t *testing.T) {
	for name, direct := range map[string]bool{"direct": true, "published": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.serves("r1", direct, says("220 mail"))
			client := w.client()
			began := time.Now()
			hear(t, client, "220 mail")
			if took := time.Since(began); took > provenAfter/2 {
				t.Errorf("the banner took %s", took)
			}
			time.Sleep(2 * provenAfter)
			say(t, client, "EHLO")
			hear(t, client, "EHLO")
		})
	}
}

// case B143: a silent pair outlives the trial as well.
func TestNobodySpeaksFirst(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", false, echo)
	client := w.client()
	time.Sleep(2 * provenAfter)
	say(t, client, "late")
	hear(t, client, "late")
}

// A client who speaks first behind a published port does not wait for the end of the trial.
func TestClientSpeaksFirstBehindAPublishedPort(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", false, echo)
	client := w.client()
	began := time.Now()
	say(t, client, "PING")
	hear(t, client, "PING")
	if took := time.Since(began); took > provenAfter/2 {
		t.Errorf("it took %s", took)
	}
}

// case B154: a listener before there is a replica waits for one.
func TestHeldUntilReady(t *testing.T) {
	w := newWorld(t, nil)
	client := w.client()
	w.waits()
	say(t, client, "early")
	w.serves("r1", true, echo)
	hear(t, client, "early")
	client.Close()
	if l := w.lines(1)[0]; l.Held <= 0 {
		t.Errorf("got %+v", l)
	}
}

// Waiting is bounded by hold.max.
func TestHeldForNoLongerThanAllowed(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.Hold.Max = 50 * time.Millisecond })
	w.refused()
	if l := w.lines(1)[0]; l.Reason != "starting" {
		t.Errorf("got %+v", l)
	}
}

// A client who resets his connection is no demand any more; one who only ended his direction is.
func TestWhoLeavesDoesNotWait(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.Hold.Max = time.Minute })
	leaves, stays := w.client(), w.client()
	w.eventually("both wait", func() bool { return w.app.Waiting(time.Now()) == 2 })
	if err := stays.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	reset(leaves)
	leaves.Close()
	w.eventually("one waits", func() bool { return w.app.Waiting(time.Now()) == 1 })
	w.serves("r1", true, says("hello"))
	hear(t, stays, "hello")
	if l := w.lines(1)[0]; l.Reason != "left" {
		t.Errorf("got %+v", l)
	}
}

// case B155: a silent pool of connections is closed, so that the app may sleep; without the option it is not.
func TestIdleByBytes(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.TCPIdle = 100 * time.Millisecond })
	w.serves("r1", true, echo)
	client := w.client()
	say(t, client, "query")
	hear(t, client, "query")
	wantEnd(t, client)
	row, _ := w.app.Snapshot().Row("r1")
	w.eventually("the lease is given back", func() bool { return !row.InUse() })
	if l := w.lines(1)[0]; l.Reason != "idle" {
		t.Errorf("got %+v", l)
	}
}

// P5: when the start is over, both sides are reset.
func TestEndOfTheStart(t *testing.T) {
	w := newWorld(t, nil)
	appSide := make(chan error, 1)
	w.serves("r1", true, func(conn *net.TCPConn) {
		_, err := io.Copy(conn, conn)
		appSide <- err
	})
	client := w.client()
	say(t, client, "hello")
	hear(t, client, "hello")
	w.app.Remove("r1", 0)
	wantReset(t, client)
	if err := <-appSide; err == nil || !strings.Contains(err.Error(), syscall.ECONNRESET.Error()) {
		t.Errorf("the app saw %v", err)
	}
	if l := w.lines(1)[0]; l.Reason != "ended" {
		t.Errorf("got %+v", l)
	}
}

// A reset of one side is a reset of the other, never a clean end.
func TestResetsAreHandedOn(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, func(conn *net.TCPConn) {
		_, _ = io.ReadFull(conn, make([]byte, 3))
		reset(conn)
	})
	client := w.client()
	say(t, client, "die")
	wantReset(t, client)
}

func TestConnectionLimit(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.MaxConnections = 1 })
	w.serves("r1", true, says("hello"))
	first := w.client()
	hear(t, first, "hello")
	w.apply() // the count is kept over a reload
	w.refused()
	first.Close()
	w.lines(2)
	hear(t, w.client(), "hello")
}

// Least connections: held ones count.
func TestConnectionsAreSpread(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("1"))
	w.serves("r2", true, says("2"))
	got := map[string]int{}
	for range 6 {
		answer := make([]byte, 1)
		if _, err := io.ReadFull(w.client(), answer); err != nil {
			t.Fatal(err)
		}
		got[string(answer)]++
	}
	if got["1"] != 3 || got["2"] != 3 {
		t.Errorf("got %v", got)
	}
}

func TestStickyBySource(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.BySource = true })
	w.serves("r1", true, says("1"))
	w.serves("r2", true, says("2"))
	places := map[string]bool{}
	for _, ip := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6", "127.0.0.7", "127.0.0.8"} {
		first := make([]byte, 1)
		if _, err := io.ReadFull(w.clientFrom(ip), first); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			hear(t, w.clientFrom(ip), string(first))
		}
		places[string(first)] = true
	}
	if len(places) != 2 {
		t.Errorf("eight sources share %v", places)
	}
}
