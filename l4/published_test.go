package l4

import (
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// A death behind a published port shows by the end of the connections that there were. Who connects next, before the
// engine says so, must not lose what he says first to the port's forwarder.
func TestAppThatEndsItsLastConnection(t *testing.T) {
	w := newWorld(t, nil)
	conns := make(chan *net.TCPConn, 2)
	up := w.serves("r1", false, func(conn *net.TCPConn) { conns <- conn; echo(conn) })
	for range 2 {
		client := w.client()
		say(t, client, "hello")
		hear(t, client, "hello")
	}
	(<-conns).Close()
	time.Sleep(50 * time.Millisecond)
	if got := w.report.ends(); len(got) > 0 {
		t.Fatal("the end of one of two connections was told")
	}
	(<-conns).Close()
	w.eventually("it is told", func() bool { return len(w.report.ends()) > 0 })
	if got := w.report.ends(); !slices.Equal(got, []*pool.Upstream{up}) {
		t.Errorf("told %d times", len(got))
	}
	if got := w.report.list(); len(got) > 0 {
		t.Errorf("reported as failed: %v", got)
	}
}

// What the client does says nothing against the app.
func TestClientThatEndsTheLastConnection(t *testing.T) {
	for name, leave := range map[string]func(*net.TCPConn) error{
		"half": (*net.TCPConn).CloseWrite, "whole": (*net.TCPConn).Close,
		"reset": func(conn *net.TCPConn) error { _ = conn.SetLinger(0); return conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.serves("r1", false, echo)
			client := w.client()
			say(t, client, "hello")
			hear(t, client, "hello")
			if err := leave(client); err != nil {
				t.Fatal(err)
			}
			w.lines(1)
			if got := w.report.ends(); len(got) > 0 {
				t.Error("it was told")
			}
		})
	}
}

// An app may have the habit of ending its connections: it is believed, each time for longer.
func TestHabitOfEndingConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := starts{over: t.Context()}
		up := pool.NewUpstream("c1", "start", nil)
		var told []time.Duration
		for began := time.Now(); time.Since(began) < 80*time.Second; time.Sleep(time.Second) {
			s.joined(up)
			if s.parted(up, true) {
				told = append(told, time.Since(began))
			}
		}
		if want := []time.Duration{0, quietFor, 3 * quietFor, 7 * quietFor}; !slices.Equal(told, want) {
			t.Errorf("told after %v, want %v", told, want)
		}
	})
}
