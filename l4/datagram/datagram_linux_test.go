package datagram

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	goruntime "runtime"
	"testing"
	"time"
)

const patient = 10 * time.Second

func listen(t *testing.T, address string) *Conn {
	t.Helper()
	conn, err := Listen(t.Context(), address)
	if err != nil {
		t.Skipf("%s: %v", address, err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func portOf(conn *Conn) uint16 { return uint16(conn.LocalAddr().(*net.UDPAddr).Port) }

// echo answers each datagram from the address that it came to, until the socket is closed.
func echo(conn *Conn) {
	for {
		batch, err := conn.Receive()
		if err != nil {
			return
		}
		for _, m := range batch.Messages() {
			batch.Out.Add(m.Data, m.Peer, m.Local, m.Segment)
		}
		conn.Send(&batch.Out)
		batch.Free()
	}
}

func receive(t *testing.T, conn *Conn, n int) (got [][]byte) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patient))
	for len(got) < n {
		batch, err := conn.Receive()
		if err != nil {
			t.Fatalf("after %d of %d: %v", len(got), n, err)
		}
		for _, m := range batch.Messages() {
			got = append(got, split(m)...)
		}
		batch.Free()
	}
	return got
}

// split copies the datagrams out of a message.
func split(m Message) (list [][]byte) {
	each := m.Segment
	if each == 0 {
		return [][]byte{bytes.Clone(m.Data)}
	}
	for data := m.Data; len(data) > 0; {
		n := min(each, len(data))
		list = append(list, bytes.Clone(data[:n]))
		data = data[n:]
	}
	return list
}

// Any size arrives as it was sent, in order, alone and in company.
func TestEverySizeArrives(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			server := listen(t, address)
			go echo(server)
			client, err := Dial(netip.MustParseAddrPort(server.LocalAddr().String()), false)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for _, sizes := range [][]int{{0}, {1}, {1400}, {MaxSize}, {100, 100, 100}, {100, 100, 50}, {50, 100}, {0, 0, 7}, {1200, 1200, 1200, 3, 1200}} {
				exchange(t, client, sizes)
			}
		})
	}
}

func exchange(t *testing.T, client *Conn, sizes []int) {
	t.Helper()
	batch := borrow()
	defer batch.Free()
	var want [][]byte
	for i, size := range sizes {
		data := bytes.Repeat([]byte{byte(i + 1)}, size)
		want = append(want, data)
		batch.Out.Add(data, Addr{}, Local{}, 0)
	}
	if r := client.Send(&batch.Out); r.Sent != len(sizes) || r.Err != nil {
		t.Fatalf("%v: got %+v", sizes, r)
	}
	got := receive(t, client, len(sizes))
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("%v: datagram %d came as %d bytes", sizes, i, len(got[i]))
		}
	}
}

// A reply leaves from the address that was written to, over both families of a socket for all of them.
func TestRepliesFromTheSameAddress(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		server := listen(t, address)
		go echo(server)
		for _, ip := range []string{"127.0.0.1", "127.0.0.5", "127.1.2.3", "::1"} {
			to := netip.AddrPortFrom(netip.MustParseAddr(ip), portOf(server))
			if to.Addr().Is6() && address == "0.0.0.0:0" {
				continue
			}
			t.Run(fmt.Sprint(address, " ", ip), func(t *testing.T) { repliesFrom(t, to) })
		}
	}
}

func repliesFrom(t *testing.T, to netip.AddrPort) {
	client, err := net.ListenUDP("udp", nil) // not dialled: it hears whoever answers
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_ = client.SetDeadline(time.Now().Add(patient))
	if _, err := client.WriteToUDPAddrPort([]byte("who?"), to); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 10)
	n, from, err := client.ReadFromUDPAddrPort(answer)
	if err != nil || string(answer[:n]) != "who?" || from.Addr().Unmap() != to.Addr() || from.Port() != to.Port() {
		t.Errorf("got %q from %v, %v", answer[:n], from, err)
	}
}

// What a sender has put together is received together, and forwarded so.
func TestPutTogether(t *testing.T) {
	server, client := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	batch := borrow()
	defer batch.Free()
	to := AddrOf(netip.MustParseAddrPort(server.LocalAddr().String()))
	for range 10 {
		batch.Out.Add(make([]byte, 1000), to, Local{}, 0)
	}
	if r := client.Send(&batch.Out); r.Sent != 10 || r.Bytes != 10_000 {
		t.Fatalf("got %+v", r)
	}
	if batch.Out.messages != 1 {
		t.Errorf("10 datagrams went in %d messages", batch.Out.messages)
	}
	if got := receive(t, server, 10); len(got) != 10 {
		t.Errorf("got %d", len(got))
	}
}

// The kernel's or the path's no to several in one message is learnt, and nothing is lost by it.
func TestWhatCannotBeTogetherGoesAlone(t *testing.T) {
	server, client := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	to := AddrOf(netip.MustParseAddrPort(server.LocalAddr().String()))
	client.limit.Store(500)
	batch := borrow()
	defer batch.Free()
	for range 4 {
		batch.Out.Add(make([]byte, 1000), to, Local{}, 0)
	}
	if r := client.Send(&batch.Out); r.Sent != 4 || batch.Out.messages != 4 {
		t.Fatalf("got %+v in %d messages", r, batch.Out.messages)
	}
	if !client.learn(span{n: 4, segment: 300}, 22) || client.limit.Load() != 299 {
		t.Errorf("the limit is %d", client.limit.Load())
	}
	r := Result{} // what came together from elsewhere is taken apart
	batch.Out.Add(make([]byte, 2500), to, Local{}, 1000)
	if next := client.apart(&batch.Out, span{at: 0, n: 1, segment: 1000}, &r); next != 1 || r.Sent != 3 {
		t.Errorf("got %+v, next %d", r, next)
	}
	sizes := ""
	for _, data := range receive(t, server, 7) {
		sizes += fmt.Sprint(len(data), " ")
	}
	if sizes != "1000 1000 1000 1000 1000 1000 500 " {
		t.Errorf("got %s", sizes)
	}
}

// Sockets at one address share the clients out, and each has all that a client of its own sends.
func TestBeside(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", ":0"} {
		t.Run(address, func(t *testing.T) { sharesOut(t, address) })
	}
}

func sharesOut(t *testing.T, address string) {
	first := listen(t, address)
	second, err := first.Beside()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	came := make(chan [2]any, 100)
	for _, conn := range []*Conn{first, second} {
		go func() {
			for {
				batch, err := conn.Receive()
				if err != nil {
					return
				}
				for _, m := range batch.Messages() {
					for range m.All() {
						came <- [2]any{m.Peer, conn}
					}
				}
				batch.Free()
			}
		}()
	}
	at, got := map[any]any{}, map[any]int{}
	for range 40 { // of which all go to the same with a probability of 2^-39
		client, err := net.Dial("udp", fmt.Sprint("127.0.0.1:", portOf(first)))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		for range 3 {
			_, _ = client.Write([]byte("x"))
			one := <-came
			if before := at[one[0]]; before != nil && before != one[1] {
				t.Errorf("the datagrams of %v came to both", one[0])
			}
			at[one[0]] = one[1]
			got[one[1]]++
		}
	}
	if got[first] == 0 || got[second] == 0 {
		t.Errorf("all came to one")
	}
}

func TestRefused(t *testing.T) {
	server := listen(t, "127.0.0.1:0")
	at := netip.MustParseAddrPort(server.LocalAddr().String())
	server.Close()
	client, err := Dial(at, true)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	batch := borrow()
	defer batch.Free()
	batch.Out.Add([]byte("x"), Addr{}, Local{}, 0)
	client.Send(&batch.Out)
	_ = client.SetReadDeadline(time.Now().Add(patient))
	if _, err := client.Receive(); !Refused(err) {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestEndsOfReceive(t *testing.T) {
	conn := listen(t, "127.0.0.1:0")
	_ = conn.SetReadDeadline(time.Now())
	if _, err := conn.Receive(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	go conn.Close()
	if _, err := conn.Receive(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
	batch := borrow()
	defer batch.Free()
	batch.Out.Add([]byte("x"), AddrOf(netip.MustParseAddrPort("127.0.0.1:9")), Local{}, 0)
	if r := conn.Send(&batch.Out); r.Failed != 1 || !errors.Is(r.Err, net.ErrClosed) {
		t.Errorf("got %+v", r)
	}
}

// Many senders with many sizes: everything that comes back is somebody's own (case B146).
func TestManySizesAtOnce(t *testing.T) {
	server := listen(t, "127.0.0.1:0")
	go echo(server)
	to := netip.MustParseAddrPort(server.LocalAddr().String())
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			client, err := Dial(to, false)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for range 200 {
				sizes := make([]int, 1+random.IntN(6))
				for i := range sizes {
					sizes[i] = random.IntN(1 + random.IntN(3000))
				}
				exchange(t, client, sizes)
			}
		})
	}
}

// Nothing is allocated in the steady state.
func TestNoAllocations(t *testing.T) {
	server := listen(t, ":0")
	go echo(server)
	client, err := Dial(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), portOf(server)), false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	data := make([]byte, 100)
	batch := borrow()
	defer batch.Free()
	round := func() {
		for range 10 {
			batch.Out.Add(data, Addr{}, Local{}, 0)
		}
		client.Send(&batch.Out)
		for n := 0; n < 10; {
			got, err := client.Receive()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range got.Messages() {
				n += m.Count()
			}
			got.Free()
		}
	}
	_ = client.SetReadDeadline(time.Now().Add(patient))
	round()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for range 1000 {
		round()
	}
	goruntime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 500 {
		t.Errorf("%d allocations for 20,000 datagrams", n)
	}
}
