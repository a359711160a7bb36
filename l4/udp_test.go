package l4

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
)

// case B145: one client is one source port at the app, for as long as either side speaks.
func TestOneSessionPerClient(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 300 * time.Millisecond })
	w.answers("r1", fromPort)
	one, two := w.udpClient(), w.udpClient()
	port := asks(t, one, "x")
	if other := asks(t, two, "x"); other == port {
		t.Errorf("two clients share %s", port)
	}
	for range 6 {
		time.Sleep(100 * time.Millisecond)
		if now := asks(t, one, "x"); now != port {
			t.Fatalf("went from %s to %s while it was in use", port, now)
		}
	}
	w.noSessions()
	if l := w.lines(2); l[0].Reason != "" || l[0].Received == 0 || l[0].Sent == 0 {
		t.Errorf("got %+v", l)
	}
	if now := asks(t, one, "x"); now == port {
		t.Errorf("still %s after udp_idle", now)
	}
}

// A client hears only from the address that it wrote to, and each of ours that it writes to is a session of its own.
func TestAnswersFromTheAddressThatWasWrittenTo(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.Routes[0].UDP = ":0" })
	w.answers("r1", fromPort)
	listener := netip.MustParseAddrPort(w.address("udp"))
	client, err := net.ListenUDP("udp", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_ = client.SetDeadline(time.Now().Add(patient))
	seen := map[string]bool{}
	for _, ip := range []string{"127.0.0.1", "127.0.0.5", "::1"} {
		to := netip.AddrPortFrom(netip.MustParseAddr(ip), listener.Port())
		if _, err := client.WriteToUDPAddrPort([]byte("x"), to); err != nil {
			t.Skip(err) // no IPv6
		}
		answer := make([]byte, 100)
		n, from, err := client.ReadFromUDPAddrPort(answer)
		if err != nil || from.Addr().Unmap() != to.Addr() || seen[string(answer[:n])] {
			t.Errorf("%s: got %q from %v, %v", ip, answer[:n], from, err)
		}
		seen[string(answer[:n])] = true
	}
}

// case B145: the app alone keeps a session open, too.
func TestAppAloneKeepsTheSession(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 250 * time.Millisecond })
	conn := w.udpListener()
	w.ready("r1", conn.LocalAddr(), true)
	client := w.udpClient()
	if _, err := client.Write([]byte("subscribe")); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	_, from, err := conn.ReadFromUDPAddrPort(buffer)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		time.Sleep(100 * time.Millisecond)
		_, _ = conn.WriteToUDPAddrPort(fmt.Appendf(nil, "tick %d", i), from)
		if got := next(t, client); got != fmt.Sprintf("tick %d", i) {
			t.Fatalf("got %q", got)
		}
	}
	w.noSessions()
}

// The first datagrams wait for the app in order, and those that do not fit are counted.
func TestDatagramsQueueWhileTheAppWakes(t *testing.T) {
	w := udpWorld(t, nil)
	client := w.udpClient()
	for i := range mostQueued + 6 {
		if _, err := client.Write(fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	w.waits()
	drops := w.front.metrics.drops.WithLabelValues("db", "queue")
	w.eventually("six are dropped", func() bool { return valueOf(drops) == 6 })
	w.answers("r1", echoed)
	for i := range mostQueued {
		if got := next(t, client); got != fmt.Sprint(i) {
			t.Fatalf("got %s, want %d", got, i)
		}
	}
	w.eventually("no memory is held", func() bool { return w.front.held.bytes.Load() == 0 })
}

// A boot that takes longer than udp_idle costs nobody his answer.
func TestWaitingIsNotSilence(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 50 * time.Millisecond })
	client := w.udpClient()
	_, _ = client.Write([]byte("hello"))
	time.Sleep(200 * time.Millisecond)
	w.answers("r1", func(data []byte, _ netip.AddrPort) []byte {
		time.Sleep(10 * time.Millisecond)
		return append([]byte{}, data...)
	})
	if got := next(t, client); got != "hello" {
		t.Errorf("got %q", got)
	}
}

// Sizes up to the largest are untouched, empty ones too, queued or not.
func TestSizes(t *testing.T) {
	w := udpWorld(t, nil)
	client := w.udpClient()
	sizes := []int{0, 1, 1472, 1473, 9000, datagram.MaxSize, 0, 5}
	check := func() {
		for i, size := range sizes {
			data := bytes.Repeat([]byte{byte('a' + i)}, size)
			if got := asks(t, client, string(data)); got != string(data) {
				t.Fatalf("%d bytes came back as %d", size, len(got))
			}
		}
	}
	done := make(chan struct{})
	go func() { defer close(done); check() }()
	w.waits()
	w.answers("r1", echoed)
	<-done
	check()
}

// case B146: 50 clients, random sizes, everybody gets back what is his.
func TestDatagramsAreNotMixed(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	var clients sync.WaitGroup
	for i := range 50 {
		client := w.udpClient()
		clients.Go(func() { talk(t, client, uint64(i)) })
	}
	clients.Wait()
}

// talk keeps a few datagrams under way and compares each answer by its number.
func talk(t *testing.T, client *net.UDPConn, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	buffer := make([]byte, 64<<10)
	for round := range 1000 {
		want := map[uint64][]byte{}
		for k := range 2 {
			data := make([]byte, 16+random.IntN(1+random.IntN(2000)))
			for i := range data {
				data[i] = byte(seed)
			}
			number := uint64(round)<<8 | uint64(k)
			binary.BigEndian.PutUint64(data, number)
			want[number] = data
			_, _ = client.Write(data)
		}
		_ = client.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		for len(want) > 0 {
			n, err := client.Read(buffer)
			if err != nil {
				break // a loaded machine may lose some; none may be wrong
			}
			number := binary.BigEndian.Uint64(buffer)
			if sent, mine := want[number]; mine && !bytes.Equal(sent, buffer[:n]) || n < 16 || buffer[n-1] != byte(seed) {
				t.Errorf("client %d got another's datagram", seed)
				return
			}
			delete(want, number)
		}
	}
}

// case B149: a session ends when the answers are there, so that each question is shared out anew.
func TestResponses(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.Routes[0].Responses = responses(1) })
	w.answers("r1", named("1"))
	w.answers("r2", named("2"))
	client := w.udpClient()
	got := map[string]int{}
	for range 1000 { // at once: none may fall between the end of a session and the next
		got[asks(t, client, "query")]++
	}
	if got["1"] < 100 || got["2"] < 100 { // who is counted when a session ends is a matter of microseconds
		t.Errorf("got %v", got)
	}
	w.noSessions()
}

// case B149: without answers a session ends with what was sent.
func TestNoResponses(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.Routes[0].Responses = responses(0) })
	var logged atomic.Int64
	w.answers("r1", func([]byte, netip.AddrPort) []byte { logged.Add(1); return nil })
	client := w.udpClient()
	for i := range 5 {
		_, _ = client.Write([]byte("syslog"))
		w.eventually("it is logged", func() bool { return logged.Load() == int64(i+1) })
		w.noSessions()
	}
}

// What nobody listened for goes again to who does: a refusal says that nobody got it.
func TestRefusedDatagramsGoAgain(t *testing.T) {
	w := udpWorld(t, nil)
	gone := w.udpListener()
	gone.Close()
	w.ready("r1", gone.LocalAddr(), true)
	w.report.does(func(lease pool.Lease) {
		suspects(lease)
		w.answers("r2", echoed)
	})
	client := w.udpClient()
	if got := asks(t, client, "first"); got != "first" {
		t.Errorf("got %q", got)
	}
	if got := w.report.list(); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("reported %v", got)
	}
}

// A port that refuses while the app is found alive is not reported again and again, nor dialled without a pause.
func TestRefusalsDoNotStorm(t *testing.T) {
	w := udpWorld(t, nil)
	gone := w.udpListener()
	gone.Close()
	w.ready("r1", gone.LocalAddr(), true)
	client := w.udpClient()
	for range 20 {
		_, _ = client.Write([]byte("x"))
		time.Sleep(20 * time.Millisecond)
	}
	if got := w.report.list(); len(got) != 1 {
		t.Errorf("reported %d times", len(got))
	}
}

// P5: a session ends with the start, and the client's next datagram begins another one.
func TestSessionEndsWithTheStart(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", named("1"))
	client := w.udpClient()
	if got := asks(t, client, "x"); got != "1" {
		t.Fatalf("got %q", got)
	}
	w.app.Remove("r1", 0)
	w.answers("r2", named("2"))
	w.noSessions()
	if got := asks(t, client, "x"); got != "2" {
		t.Errorf("got %q", got)
	}
	if l := w.lines(1)[0]; l.Reason != "ended" || l.Proto != "udp" {
		t.Errorf("got %+v", l)
	}
}

// What a replica was sent just before it was known to be dead goes to the next one.
func TestUnansweredDatagramsGoToTheNext(t *testing.T) {
	w := udpWorld(t, nil)
	got := make(chan struct{}, 1)
	w.answers("r1", func([]byte, netip.AddrPort) []byte { got <- struct{}{}; return nil })
	client := w.udpClient()
	_, _ = client.Write([]byte("hello"))
	<-got
	w.app.Remove("r1", 0)
	w.waits()
	w.answers("r2", echoed)
	if got := next(t, client); got != "hello" {
		t.Errorf("got %q", got)
	}
}

// A session is a lease: its app is in use for as long as it lasts.
func TestSessionHoldsALease(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 200 * time.Millisecond })
	w.answers("r1", echoed)
	asks(t, w.udpClient(), "x")
	row, _ := w.app.Snapshot().Row("r1")
	if row.Leases() != 1 {
		t.Errorf("%d leases", row.Leases())
	}
	w.eventually("the lease is given back", func() bool { return row.Leases() == 0 })
}

// A client that cannot be served gets nothing, and nothing is kept for him.
func TestDatagramsForNobody(t *testing.T) {
	w := udpWorld(t, nil)
	w.app.SetFailure(&pool.Failure{Reason: "crashed", Until: time.Now().Add(time.Hour)})
	client := w.udpClient()
	_, _ = client.Write([]byte("x"))
	drops := w.front.metrics.drops.WithLabelValues("db", "failed")
	w.eventually("it is dropped", func() bool { return valueOf(drops) == 1 })
	w.noSessions()
	if n := w.front.held.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}

// Nothing is allocated for a datagram in the steady state.
func TestNoAllocationPerDatagram(t *testing.T) {
	w := udpWorld(t, nil)
	app := w.udpListener()
	w.ready("r1", app.LocalAddr(), true)
	go func() { // net's own calls allocate nothing here
		buffer := make([]byte, 64<<10)
		for {
			n, from, err := app.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			_, _ = app.WriteToUDPAddrPort(buffer[:n], from)
		}
	}()
	client := w.udpClient()
	data, buffer := make([]byte, 200), make([]byte, 64<<10)
	round := func() {
		_, _ = client.Write(data)
		if _, err := client.Read(buffer); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		round()
	}
	time.Sleep(settled + 100*time.Millisecond)
	round()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for range 2000 {
		round()
	}
	goruntime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 400 {
		t.Errorf("%d allocations for 2000 datagrams each way", n)
	}
}
