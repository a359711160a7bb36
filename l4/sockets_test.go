package l4

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// P7: a reload opens and closes listeners by difference and ends no connection.
func TestReload(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("hello"))
	client := w.client()
	hear(t, client, "hello")
	before := w.address("tcp")
	w.config.Apps["db"].Routes = append(w.config.Apps["db"].Routes, conf.Route{TCP: "127.0.0.2:0", Port: appPort})
	w.apply()
	if got := w.front.Addresses(); len(got) != 2 || got[0] != "tcp "+before {
		t.Errorf("listens on %v, want %s and another", got, before)
	}
	w.config.Apps["db"].Routes = w.config.Apps["db"].Routes[1:]
	w.apply()
	if _, err := net.Dial("tcp", before); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the listener of a route that is gone: %v", err)
	}
	say(t, client, "still")
	hear(t, client, "still")
}

// case B178: a listener that cannot be opened changes nothing.
func TestReloadThatFails(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("hello"))
	taken := w.listener().Addr().String()
	routes := w.config.Apps["db"].Routes
	w.config.Apps["db"].Routes = []conf.Route{{TCP: "127.0.0.3:0", Port: appPort}, {TCP: taken, Port: appPort}}
	if _, err := w.front.Prepare(w.config); err == nil || !strings.Contains(err.Error(), taken) {
		t.Fatalf("got %v", err)
	}
	hear(t, w.client(), "hello")
	w.config.Apps["db"].Routes = routes
	w.apply()
	if got := w.front.Addresses(); len(got) != 1 {
		t.Errorf("listens on %v", got)
	}
}

// A reload that meets the end opens nothing that nobody would close.
func TestReloadWhileLeaving(t *testing.T) {
	w := newWorld(t, nil)
	w.config.Apps["db"].Routes = []conf.Route{{TCP: "127.0.0.4:0", Port: appPort}}
	change, err := w.front.Prepare(w.config)
	if err != nil {
		t.Fatal(err)
	}
	var fresh string
	for _, s := range change.fresh {
		fresh = s.address().String()
	}
	if err := w.front.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	change.Apply()
	if _, err := net.Dial("tcp", fresh); !errors.Is(err, syscall.ECONNREFUSED) || len(w.front.Addresses()) != 0 {
		t.Errorf("it listens on %s: %v", fresh, err)
	}
}

// case B211: running out of descriptors is no end.
func TestAcceptRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &troubled{errors: 20, done: make(chan struct{})}
		s := &tcpSocket{front: New(Options{}), listener: listener}
		began := time.Now()
		s.run()
		if listener.errors != 0 {
			t.Errorf("it gave up with %d errors to come", listener.errors)
		}
		if took := time.Since(began); took < 10*time.Second || took > 20*time.Second {
			t.Errorf("20 errors took %s", took)
		}
		s.front.cut(nil)
	})
}

// troubled has no descriptors for a while, and is closed then.
type troubled struct {
	net.Listener
	errors int
	done   chan struct{}
}

func (l *troubled) Accept() (net.Conn, error) {
	if l.errors == 0 {
		return nil, net.ErrClosed
	}
	l.errors--
	return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
}

// Who is held or connected at a shutdown goes on until the grace is over, and is reset then; nobody new comes in.
func TestDrain(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("hello"))
	client := w.client()
	hear(t, client, "hello")
	address := w.address("tcp")
	ctx, cancel := context.WithCancel(t.Context())
	drained := make(chan error, 1)
	go func() { drained <- w.front.Drain(ctx) }()
	w.eventually("nothing listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	say(t, client, "still")
	hear(t, client, "still")
	cancel()
	wantReset(t, client)
	if err := <-drained; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A drain in which everybody leaves by himself is no error.
func TestDrainInTime(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("hello"))
	client := w.client()
	hear(t, client, "hello")
	client.Close()
	if err := w.front.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// An app that leaves the configuration has open connections for a while; their ends must not count in the gauge of an app
// that comes back under its name.
func TestOpenConnectionsOfAnAppThatLeft(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, says("hello"))
	client := w.client()
	hear(t, client, "hello")
	apps := w.config.Apps
	w.config.Apps = nil
	w.apply()
	w.config.Apps = apps
	w.apply()
	client.Close()
	w.lines(1)
	if got := gaugeOf(w.front.metrics.open.WithLabelValues("db")); got != 0 {
		t.Errorf("%v connections are open", got)
	}
}
