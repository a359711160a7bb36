package l4

import (
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
)

// A client who is none that the filter means starts nothing, and is served all the same while the app runs.
func TestWakeFilters(t *testing.T) {
	hello := string(helloOf(t, "a.b"))
	filters := map[string]struct {
		on         conf.WakeOn
		wake, does []string // what is said
	}{
		"tls":      {conf.WakeOn{TLS: true}, []string{hello}, []string{"GET / HTTP/1.1", "\x16\x04"}},
		"bytes":    {conf.WakeOn{Bytes: true}, []string{"x"}, nil},
		"prefix":   {conf.WakeOn{Prefixes: []string{"SSH-2.0", "*1\r\n"}}, []string{"SSH-2.0-x", "*1\r\n"}, []string{"GET /", "SSH-1.9"}},
		"from":     {conf.WakeOn{From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, []string{""}, nil},
		"not from": {conf.WakeOn{From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, nil, []string{"", "x"}},
		"both":     {conf.WakeOn{TLS: true, From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, nil, []string{hello}},
	}
	for name, filter := range filters {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(a *conf.App) { a.WakeOn = filter.on })
			for _, said := range filter.does {
				w.refusedSaying(said)
				if n := w.app.Waiting(time.Now()); n != 0 {
					t.Fatalf("%q waits", said)
				}
			}
			for _, said := range filter.wake {
				client := w.client()
				say(t, client, said)
				w.waits()
				client.Close()
				w.serves("r1", true, echo)
				w.eventually("nobody waits", func() bool { return w.app.Waiting(time.Now()) == 0 })
				w.app.Remove("r1", 0)
			}
			w.serves("r2", true, says("hello"))
			hear(t, w.client(), "hello")
		})
	}
}

// What was read for the filter is the app's.
func TestPeekedBytesReachTheApp(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.WakeOn.Prefixes = []string{"SSH-2.0"} })
	client := w.client()
	for _, piece := range []string{"S", "SH-", "2.0-x\r\n"} {
		say(t, client, piece)
		time.Sleep(5 * time.Millisecond)
	}
	w.waits()
	w.serves("r1", false, echo)
	hear(t, client, "SSH-2.0-x\r\n")
	say(t, client, "more")
	hear(t, client, "more")
}

// A health check that connects and leaves starts nothing under `bytes`.
func TestHealthCheckStartsNothing(t *testing.T) {
	w := newWorld(t, func(a *conf.App) { a.WakeOn.Bytes = true })
	w.client().Close()
	if l := w.lines(1)[0]; l.Reason != "left" {
		t.Errorf("got %+v", l)
	}
	if got := valueOf(w.front.metrics.wakes.WithLabelValues("db")); got != 0 {
		t.Errorf("%v wakes", got)
	}
}

func TestWakeLimit(t *testing.T) {
	w := newWorld(t, func(a *conf.App) {
		a.WakeLimit = conf.WakeLimit{Wakes: 2, Within: time.Hour}
		a.Hold.Max = 20 * time.Millisecond
	})
	reasons := map[string]int{}
	for range 3 {
		w.refused()
	}
	for _, l := range w.lines(3) {
		reasons[l.Reason]++
	}
	if reasons["starting"] != 2 || reasons["wake-limit"] != 1 {
		t.Errorf("got %v", reasons)
	}
}

// Scanners' single datagrams start nothing; who keeps on does.
func TestWakeOnPackets(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.WakeOn = conf.WakeOn{Packets: 5, Within: time.Minute} })
	drops := w.front.metrics.drops.WithLabelValues("db", "filtered")
	scanner, client := w.udpClientFrom("127.0.0.3"), w.udpClient()
	_, _ = scanner.Write([]byte("scan"))
	for i := range 4 {
		_, _ = client.Write([]byte("x"))
		w.eventually("it is dropped", func() bool { return valueOf(drops) == float64(i+2) })
	}
	if n := w.app.Waiting(time.Now()); n != 0 {
		t.Fatalf("%d wait", n)
	}
	_, _ = client.Write([]byte("fifth"))
	w.waits()
	w.answers("r1", echoed)
	if got := next(t, client); got != "fifth" {
		t.Errorf("got %q", got)
	}
	if got := asks(t, scanner, "now"); got != "now" {
		t.Errorf("while it runs: got %q", got)
	}
}

// What one call has read is judged datagram by datagram, also where the kernel has put several together.
func TestBatchesAreJudgedByTheDatagram(t *testing.T) {
	ssh := conf.WakeOn{Prefixes: []string{"SSH"}}
	three := conf.WakeOn{Prefixes: []string{"SSH"}, Packets: 3, Within: time.Minute}
	one := func(text string) datagram.Message { return datagram.Message{Data: []byte(text)} }
	for name, c := range map[string]struct {
		on    conf.WakeOn
		batch []datagram.Message
		want  bool
	}{
		"junk first":           {ssh, []datagram.Message{one("junk"), one(""), one("SSH-2.0")}, true},
		"junk first, together": {ssh, []datagram.Message{{Data: []byte("junkSSH-S"), Segment: 4}}, true},
		"junk alone":           {ssh, []datagram.Message{one("junk"), one("")}, false},
		"junk does not count":  {three, []datagram.Message{one("SSH"), one("junk"), one("SSH")}, false},
		"nor together":         {three, []datagram.Message{{Data: []byte("SSH1junkSSH"), Segment: 4}}, false},
		"enough":               {three, []datagram.Message{one("SSH"), {Data: []byte("SSH1SSH"), Segment: 4}}, true},
		"empty ones":           {conf.WakeOn{Packets: 2, Within: time.Minute}, []datagram.Message{one(""), one("")}, true},
	} {
		if got := new(Front).mayWakeBy(c.batch, &app{wakeOn: c.on}, time.Now()); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// Each of them is counted as dropped, also where the kernel has put several together.
func TestFilteredDatagramsAreCounted(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.WakeOn = conf.WakeOn{Prefixes: []string{"SSH"}} })
	socket := w.udpSocket()
	var out datagram.Out
	junk := []datagram.Message{{Data: []byte("junkjunkj"), Segment: 4}, {Data: []byte("junk")}}
	socket.deliver(junk, &out, socket.inlets[0], time.Now())
	if n := valueOf(w.front.metrics.drops.WithLabelValues("db", "filtered")); n != 4 {
		t.Errorf("%v were dropped, want 4", n)
	}
}

func TestWindowsPass(t *testing.T) {
	var c counts
	filter, source, now := conf.WakeOn{Packets: 3, Within: time.Second}, netip.MustParseAddr("192.0.2.1"), time.Now()
	if c.reached("a", source, 2, filter, now) || c.reached("a", source, 2, filter, now.Add(2*time.Second)) {
		t.Error("datagrams of different windows were added up")
	}
	if !c.reached("a", source, 1, filter, now.Add(2*time.Second)) {
		t.Error("three in one window were not enough")
	}
	for i := range 3 * mostRemembered {
		c.reached("a", netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1, filter, now)
	}
	if len(c.of) > mostRemembered {
		t.Errorf("%d sources are remembered", len(c.of))
	}
}
