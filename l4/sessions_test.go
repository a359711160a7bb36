package l4

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
)

// case B148: made-up sources cost a bounded number of sockets and goroutines, and nothing after a while.
func TestSessionsAreBounded(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 2 * time.Second })
	w.answers("r1", func([]byte, netip.AddrPort) []byte { return nil })
	w.front.sessions.limit(100, 60, 40)
	for i := range 30 {
		for range 20 { // each its own port
			client := w.udpClientFrom(fmt.Sprintf("127.0.1.%d", i))
			_, _ = client.Write([]byte("spoofed"))
			client.Close()
		}
		if n := w.front.sessions.count(); n > 60 {
			t.Fatalf("%d sessions", n)
		}
	}
	evicted := w.front.metrics.sessions.WithLabelValues("db", "evicted")
	w.eventually("most of 600 sources had to leave for others", func() bool { return valueOf(evicted) >= 400 })
	w.eventually("the number of goroutines is bounded", func() bool { return len(goroutines()) < 150 })
	w.noSessions()
}

// case B148: one source does not push the others out, and the oldest of its own goes.
func TestOneSourceIsBounded(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	w.front.sessions.limit(100, 100, 3)
	other := w.udpClientFrom("127.0.0.9")
	asks(t, other, "x")
	for range 5 {
		asks(t, w.udpClientFrom("127.0.0.8"), "x")
	}
	w.eventually("three and the other are left", func() bool { return w.front.sessions.count() == 4 })
	w.front.sessions.mu.Lock()
	defer w.front.sessions.mu.Unlock()
	if n := w.front.sessions.sources[netip.MustParseAddr("127.0.0.9")].len(); n != 1 {
		t.Errorf("the other source has %d sessions", n)
	}
}

// Many listeners are no more room for one source, nor for all together: a port costs a client nothing, and a range is many
// listeners. Half of the descriptors stay for everybody else.
func TestSessionsOfAllListenersAreBounded(t *testing.T) {
	for name, of := range map[string]func(i int) string{
		"one source": func(int) string { return "192.0.2.1" },
		"many":       func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/256, i%256) },
	} {
		t.Run(name, func(t *testing.T) {
			all := newSessions(80)
			all.mostOfSource = 30
			for i := range 400 {
				all.bring(&udpSocket{}, of(i)+":1")
			}
			want := map[string]int{"one source": 30, "many": 40}[name]
			if n := all.count(); n != want || len(all.sockets) != want {
				t.Errorf("%d sessions at %d listeners, want %d", n, len(all.sockets), want)
			}
		})
	}
}

// Where all is full, the listener that is flooded gives room: the clients of another one stay.
func TestFloodOfOneListener(t *testing.T) {
	all := newSessions(20)
	quiet, flooded := &udpSocket{}, &udpSocket{}
	var clients []*session
	for i := range 3 {
		clients = append(clients, all.bring(quiet, fmt.Sprintf("192.0.2.%d:1", i)))
	}
	for i := range 100 {
		all.bring(flooded, fmt.Sprintf("198.51.100.%d:1", i))
	}
	for _, client := range clients {
		if all.find(client.key, client.touched) != client {
			t.Errorf("%v is out", client.key.peer)
		}
	}
	if n := all.count(); n != 10 {
		t.Errorf("%d sessions", n)
	}
}

// Who speaks, or is spoken to, ten times a second stays, however fast made-up sources take turns.
func TestFloodAroundWhoSpeaks(t *testing.T) {
	all := newSessions(20)
	socket, now := &udpSocket{}, time.Now()
	speaks := all.bringAt(now, socket, "192.0.2.1:1")
	listens := all.bringAt(now, socket, "192.0.2.2:1")
	for i := range 200 {
		if i%4 == 0 {
			now = now.Add(100 * time.Millisecond)
			all.find(speaks.key, now)
			listens.last.Store(int64(now.Sub(listens.record.began)))
		}
		all.bringAt(now, socket, fmt.Sprintf("198.51.100.%d:1", i))
	}
	for _, s := range []*session{speaks, listens} {
		if all.find(s.key, now) != s {
			t.Errorf("%v is out", s.key.peer)
		}
	}
}

// A newcomer leaves for a newcomer, and a regular only where they are most and when he was silent for a while.
func TestNewcomersLeaveFirst(t *testing.T) {
	for name, of := range map[string]func(i int) string{
		"one source": func(i int) string { return fmt.Sprintf("192.0.2.1:%d", i+1) },
		"many":       func(i int) string { return fmt.Sprintf("198.51.100.%d:1", i) },
	} {
		t.Run(name, func(t *testing.T) {
			all, socket, began := newSessions(20), &udpSocket{}, time.Now()
			newcomer := quiet
			if name == "one source" {
				all.mostOfSource, newcomer = 10, quietOfSource
			}
			next := keyOf(socket, of(100))
			var there []*session
			for i := range 10 {
				there = append(there, all.bringAt(began, socket, of(i)))
			}
			room := func(want bool, after time.Duration) {
				t.Helper()
				if all.room(next, began.Add(after)) != want {
					t.Errorf("room after %v: %v", after, !want)
				}
			}
			room(false, newcomer-1)
			room(true, newcomer)
			for _, s := range there {
				s.last.Store(int64(quietOfSource)) // an answer that was late keeps nobody out
			}
			room(true, newcomer)
			back := all.comeBack(there[:9]) // the last one does not
			all.bringAt(began.Add(back+quiet-1), socket, of(10))
			if all.find(there[9].key, began) != nil {
				t.Error("the newcomer is not the one who left")
			}
			room(false, back+quiet-1)
			room(true, back+quiet)
			for _, s := range there[:9] {
				s.last.Store(int64(quiet))
			}
			room(false, 2*quiet-touchEvery-1) // the app speaks, too
			room(true, 2*quiet)
		})
	}
}

// Who has come back stays, however long he is silent then, while made-up sources take turns.
func TestRegularsOutlastAFlood(t *testing.T) {
	all, socket, now := newSessions(20), &udpSocket{}, time.Now()
	var regulars []*session
	for i := range 5 {
		regulars = append(regulars, all.bringAt(now, socket, fmt.Sprintf("192.0.2.%d:1", i)))
	}
	now = now.Add(all.comeBack(regulars))
	for i := range 1000 {
		now = now.Add(time.Second)
		all.bringAt(now, socket, fmt.Sprintf("198.51.%d.%d:1", i/256, i%256))
	}
	for _, s := range regulars {
		if all.find(s.key, now) != s {
			t.Errorf("%v is out", s.key.peer)
		}
	}
}

// comeBack makes sessions regulars, and returns how long that took since they began.
func (t *sessions) comeBack(all []*session) (took time.Duration) {
	for range regularAfter {
		took += touchEvery
		for _, s := range all {
			t.find(s.key, s.record.began.Add(took))
		}
	}
	return took
}

func keyOf(of *udpSocket, client string) sessionKey {
	return sessionKey{socket: of, peer: datagram.AddrOf(netip.MustParseAddrPort(client))}
}

// Two inlets that hear of a client at the same time make one session, and nothing of the other stays.
func TestOneSessionOfTwoInlets(t *testing.T) {
	all := newSessions(unlimited)
	socket := &udpSocket{}
	first := all.bring(socket, "192.0.2.1:1")
	if second := all.bring(socket, "192.0.2.1:1"); second != first {
		t.Error("there are two")
	}
	all.remove(first)
	if all.count() != 0 || len(all.sources) != 0 || len(all.sockets) != 0 {
		t.Errorf("left: %d, of %d sources, at %d listeners", all.count(), len(all.sources), len(all.sockets))
	}
}

// bring adds a session of a client, and returns the one that he has.
func (t *sessions) bring(to *udpSocket, client string) *session {
	return t.bringAt(time.Now(), to, client)
}

func (t *sessions) bringAt(now time.Time, to *udpSocket, client string) *session {
	key := keyOf(to, client)
	known, _ := t.add(&session{
		socket: to, key: key, source: prefixOf(key.peer.IP()), touched: now, record: record{began: now},
	})
	return known
}

func (t *sessions) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byKey)
}
