package l4

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/relay/loop"
)

// occupy takes all places for beginnings; the func that it returns gives them back.
func (b *beginnings) occupy() (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := mostAtOnce() - b.running
	b.running = mostAtOnce()
	return func() {
		for range taken {
			b.over()
		}
	}
}

func (b *beginnings) inLine(of *udpSocket) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(of.line)
}

// delivers has an inlet hear of a client.
func delivers(to *inlet, from string) {
	out := datagram.Borrow()
	defer out.Free()
	peer := datagram.AddrOf(netip.MustParseAddrPort(from))
	to.socket.deliver([]datagram.Message{{Data: []byte("x"), Peer: peer}}, out, to, time.Now())
}

// case B148: a flood from made-up addresses waits in a line of bounded length and runs nothing meanwhile, what comes after
// it costs nothing, and who has a session, like everybody else on the loops, is served as ever.
func TestFloodWaitsInLine(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	client := w.udpClient()
	asks(t, client, "x")
	all, socket := &w.front.beginnings, w.udpSocket()
	w.eventually("it has begun", func() bool { return all.idle() })
	leave := all.occupy()
	const more = 100
	for i := range mostInLine + more {
		delivers(socket.inlets[i%len(socket.inlets)], fmt.Sprintf("127.9.%d.%d:9", i/256, i%256))
	}
	for i := range 10 {
		if text := fmt.Sprint(i); asks(t, client, text) != text {
			t.Error("he has another's answer")
		}
	}
	for _, l := range loop.Shared().All() {
		turn := make(chan struct{})
		l.Do(func() { close(turn) })
		<-turn
	}
	if n, held := all.inLine(socket), w.front.sessions.count(); n != mostInLine || held != mostInLine+1 {
		t.Errorf("%d in line, %d sessions", n, held)
	}
	if n := gaugeOf(w.front.metrics.openSessions.WithLabelValues("db")); n != 1 {
		t.Errorf("%v sessions run", n)
	}
	if n := valueOf(w.front.metrics.drops.WithLabelValues("db", "crowded")); n != more {
		t.Errorf("%v are dropped", n)
	}
	leave()
	w.eventually("all have begun", all.idle)
}

func (b *beginnings) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running == 0 && len(b.turns) == 0
}

// A flood of one listener keeps the clients of another one waiting for one beginning, not for all of it.
func TestListenersBeginInTurns(t *testing.T) {
	all := &beginnings{running: mostAtOnce()}
	flooded, quiet := &udpSocket{}, &udpSocket{}
	for _, of := range []*udpSocket{flooded, flooded, flooded, quiet, quiet} {
		all.start(&session{socket: of})
	}
	var order []string
	for next := all.next(); next != nil; next = all.next() {
		order = append(order, map[*udpSocket]string{flooded: "flooded", quiet: "quiet"}[next.socket])
	}
	if want := []string{"flooded", "quiet", "flooded", "quiet", "flooded"}; !slices.Equal(order, want) {
		t.Errorf("began: %v", order)
	}
	if all.running != mostAtOnce()-1 || all.inLine(flooded)+all.inLine(quiet) != 0 {
		t.Errorf("%d run, %d are in line", all.running, all.inLine(flooded)+all.inLine(quiet))
	}
}

// Who waits for a replica has begun: others begin beside him.
func TestWhoWaitsHasBegun(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.Hold.Max = 2 * patient })
	for range 2 * mostAtOnce() {
		_, _ = w.udpClient().Write([]byte("x"))
	}
	w.eventually("all wait", func() bool { return w.app.Waiting(time.Now()) == 2*mostAtOnce() })
	w.eventually("all have begun", w.front.beginnings.idle)
}

// Who would only be turned away is, before anything is made for him.
func TestHopelessMakeNoSession(t *testing.T) {
	w := udpWorld(t, nil)
	inlet := w.udpSocket().inlets[0]
	defer w.front.beginnings.occupy()() // whose session was made would be in line
	refused := func(why string) {
		t.Helper()
		drops := w.front.metrics.drops.WithLabelValues("db", why)
		delivers(inlet, "127.9.0.1:9")
		if n := valueOf(drops); n != 1 || w.front.sessions.count() != 0 {
			t.Errorf("%s: %v are dropped, and %d sessions are there", why, n, w.front.sessions.count())
		}
	}
	w.app.SetFailure(&pool.Failure{Reason: "crashed", Until: time.Now().Add(time.Hour)})
	refused("failed")
	w.app.SetPolicy(pool.Policy{Max: 1, Port: appPort, Seats: 1})
	w.answers("r1", echoed)
	w.app.Admit(pool.Visitor{}) // takes the seat
	refused("full")
}

// A full socket is not read to its end before others on its loop have their turn.
func TestInletLeavesOthersTheirTurn(t *testing.T) {
	w := udpWorld(t, nil)
	defer w.front.beginnings.occupy()()
	conn, err := datagram.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket := &udpSocket{front: w.front, key: w.udpSocket().key, open: w.front.service, stop: func(error) {}}
	i := &inlet{socket: socket, conn: conn, pause: relay.FirstPause}
	socket.inlets = []*inlet{i}
	to, l := conn.LocalAddr().String(), loop.Shared().Pick()
	if !i.moves(l) {
		t.Fatal("it is on no loop")
	}
	i.run()
	taken := make(chan []int, 1)
	l.Do(func() { // the loop itself sends: it hears of all at once
		floods(t, to, 3*mostBatches*datagram.Most)
		var counts []int
		for range 3 {
			counts = append(counts, w.front.sessions.count())
			i.Ready(0)
		}
		taken <- append(counts, w.front.sessions.count())
	})
	turn := mostBatches * datagram.Most
	if got := <-taken; !slices.Equal(got, []int{0, turn, 2 * turn, 3 * turn}) {
		t.Errorf("taken: %v", got)
	}
	if err := socket.Close(); err != nil {
		t.Error(err)
	}
}

// floods sends so many datagrams, each from another address.
func floods(t *testing.T, address string, n int) {
	port := netip.MustParseAddrPort(address)
	for k := range n {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Error(err)
			return
		}
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 9, byte(k >> 8), byte(k)}})
		if err == nil {
			err = unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Addr: port.Addr().As4(), Port: int(port.Port())})
		}
		if err != nil {
			t.Error(err)
		}
		unix.Close(fd)
	}
}
