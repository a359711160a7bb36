package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// accepting has loops accept at an address of its own.
func accepting(t *testing.T, take func(Socket)) (address string, a *Acceptor) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err = Accept(l.(*net.TCPListener), take, func(err error, _ time.Duration) { t.Log(err) })
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	t.Cleanup(a.Close)
	return l.Addr().String(), a
}

func dialTo(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patient))
	return c.(*net.TCPConn)
}

// echoing is an app.
func echoing(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); io.Copy(c, c) }()
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String())
}

func TestAcceptAndJoin(t *testing.T) {
	app := echoing(t)
	ended := make(chan result, 100)
	address, _ := accepting(t, func(s Socket) {
		Dialer{}.Join(context.Background(), s, app, true, Options{},
			func(s Stats, err error) { ended <- result{s, err} }, func(err error) { t.Error(err) })
	})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			c := dialTo(t, address)
			say(t, c, "hello")
			c.CloseWrite()
			if got, err := io.ReadAll(c); err != nil || string(got) != "hello" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	all.Wait()
	for range 100 {
		if got := <-ended; got.err != nil || got.stats != (Stats{5, 5}) {
			t.Errorf("ended with %+v", got)
		}
	}
}

// A client whose app cannot be dialled is given back, unread.
func TestJoinThatCannotConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := netip.MustParseAddrPort(l.Addr().String())
	l.Close()
	ended, end := context.WithCancelCause(t.Context())
	over := errors.New("the start is over")
	end(over)
	for name, test := range map[string]struct {
		ctx  context.Context
		d    Dialer
		to   netip.AddrPort
		want error
	}{
		"refused": {t.Context(), Dialer{}, nobody, syscall.ECONNREFUSED},
		"silent":  {t.Context(), Dialer{Timeout: 50 * time.Millisecond}, deaf(t), os.ErrDeadlineExceeded},
		"over":    {ended, Dialer{}, deaf(t), over},
	} {
		t.Run(name, func(t *testing.T) {
			back := make(chan Socket, 1)
			address, _ := accepting(t, func(s Socket) {
				test.d.Join(test.ctx, s, test.to, true, Options{}, func(Stats, error) { t.Error("joined") }, func(err error) {
					wantIs(t, err, test.want)
					back <- s
				})
			})
			before := used()
			c := dialTo(t, address)
			say(t, c, "hello")
			s := <-back
			if want := netip.MustParseAddrPort(c.LocalAddr().String()); s.Remote != want {
				t.Errorf("it came from %v, want %v", s.Remote, want)
			}
			conn, err := s.Conn()
			if err != nil {
				t.Fatal(err)
			}
			hear(t, conn, "hello")
			for name, option := range map[string][2]int{"SO_KEEPALIVE": {unix.SOL_SOCKET, unix.SO_KEEPALIVE}, "TCP_NODELAY": {unix.IPPROTO_TCP, unix.TCP_NODELAY}} {
				wantOption(t, conn.(*net.TCPConn), name, option[0], option[1], 1)
			}
			wantOption(t, conn.(*net.TCPConn), "TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 30)
			conn.Close()
			hearEnd(t, c)
			c.Close()
			if now := used(); now.descriptors > before.descriptors {
				t.Errorf("used %+v, before %+v", now, before)
			}
		})
	}
}

// deaf is an address where nothing answers: its queue is full.
func deaf(t *testing.T) netip.AddrPort {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*unix.SockaddrInet4).Port))
	for range 2 {
		if c, err := net.DialTimeout("tcp", to.String(), 100*time.Millisecond); err == nil {
			t.Cleanup(func() { c.Close() })
		}
	}
	return to
}

func TestSocketIsReset(t *testing.T) {
	accepted := make(chan Socket, 1)
	address, _ := accepting(t, func(s Socket) { accepted <- s })
	c := dialTo(t, address)
	(<-accepted).Close()
	_, err := c.Read(make([]byte, 1))
	wantIs(t, err, syscall.ECONNRESET)
}

// After Close nothing accepts at the address, and nothing is left.
func TestAcceptorCloses(t *testing.T) {
	loop.Shared()
	before, load := used(), loads()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Accept(l.(*net.TCPListener), Socket.Close, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if _, err := net.Dial("tcp", l.Addr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dialled: %v", err)
	}
	if now := used(); now.descriptors > before.descriptors || loads() != load {
		t.Errorf("used %+v on loops with %d, before %+v with %d", now, loads(), before, load)
	}
}

// case B178: who has connected by the time of a Close is taken, and nobody is reset in the queue.
func TestAcceptorTakesTheQueue(t *testing.T) {
	const many = 300 // more than the loops accept in the turn in which they are asked to close
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var taken atomic.Int64
	take := func(s Socket) {
		taken.Add(1)
		s.Close()
	}
	a, err := Accept(l.(*net.TCPListener), take, func(err error, _ time.Duration) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	holds, held := make(chan struct{}), make(chan struct{})
	for _, l := range loop.Shared().All() {
		l.Do(func() { holds <- struct{}{}; <-held })
		<-holds
	}
	for range many {
		if _, err = net.DialTimeout("tcp", l.Addr().String(), patient); err != nil {
			break
		}
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		a.Close()
	}()
	close(held)
	<-closed
	if got := taken.Load(); got != many || err != nil {
		t.Errorf("%d of %d were taken; %v", got, many, err)
	}
}

func loads() (n int) {
	for _, l := range loop.Shared().All() {
		n += l.Load()
	}
	return n
}

// case B211: with no descriptor left, a loop waits and goes on; nobody is lost who waits in the queue.
func TestAcceptWithoutDescriptors(t *testing.T) {
	trouble := make(chan error, 100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Accept(l.(*net.TCPListener), Socket.Close, func(err error, _ time.Duration) {
		select {
		case trouble <- err:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	client, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(client)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := unix.Rlimit{Cur: 3, Max: limit.Max} // what is open stays open
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(l.Addr().String())
	connected := unix.Connect(client, &unix.SockaddrInet4{Port: int(at.Port()), Addr: [4]byte{127, 0, 0, 1}})
	first := <-trouble
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	wantIs(t, first, syscall.EMFILE)
	_, err = unix.Read(client, make([]byte, 1)) // it was accepted in the end, and reset
	if connected != nil || err != unix.ECONNRESET {
		t.Errorf("connected: %v, then %v", connected, err)
	}
}
