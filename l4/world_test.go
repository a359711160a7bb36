package l4

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

const (
	appPort = 5432
	patient = 10 * time.Second // of a test for what must happen
)

// world is a front before one app, whose replicas are listeners on loopback.
type world struct {
	*testing.T
	pool   *pool.Pool
	app    *pool.App
	front  *Front
	config *conf.Config
	report *reporter
	log    *lockedBuffer
	made   int
}

func newWorld(t *testing.T, edit func(*conf.App)) *world {
	t.Helper()
	noLeaks(t)
	w := &world{T: t, pool: pool.New(), report: &reporter{}, log: &lockedBuffer{}}
	a := &conf.App{Name: "db", Port: appPort, Hold: conf.Hold{Max: 5 * time.Second}, UDPIdle: time.Minute}
	a.Routes = []conf.Route{{TCP: "127.0.0.1:0", Port: appPort}}
	if edit != nil {
		edit(a)
	}
	w.config = &conf.Config{Apps: map[string]*conf.App{"db": a}}
	w.app = pool.NewApp("db", pool.Policy{Max: 4, HoldQueue: 100, Port: appPort})
	w.pool.Add(w.app)
	w.front = New(Options{Pool: w.pool, Reporter: w.report, Access: w.log})
	w.apply()
	t.Cleanup(w.end)
	return w
}

func (w *world) end() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.front.Drain(over)
	for _, row := range w.app.Snapshot().Rows {
		w.app.Remove(row.ID, 0)
	}
}

func (w *world) apply() {
	w.Helper()
	change, err := w.front.Prepare(w.config)
	if err != nil {
		w.Fatal(err)
	}
	change.Apply()
}

// address of the listener for a protocol; there is one of each.
func (w *world) address(proto string) string {
	w.Helper()
	for _, address := range w.front.Addresses() {
		if rest, ok := strings.CutPrefix(address, proto+" "); ok {
			return rest
		}
	}
	w.Fatalf("no %s listener in %v", proto, w.front.Addresses())
	return ""
}

// client connects to the front's TCP listener.
func (w *world) client() *net.TCPConn { return w.clientFrom("127.0.0.1") }

func (w *world) clientFrom(ip string) *net.TCPConn {
	w.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	conn, err := dialer.Dial("tcp", w.address("tcp"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patient))
	return conn.(*net.TCPConn)
}

// ready puts a replica at an address into the pool.
func (w *world) ready(id string, addr net.Addr, direct bool) *pool.Upstream {
	w.Helper()
	w.made++
	if _, err := w.app.Reserve(id, 0, nil); err != nil {
		w.Fatal(err)
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		w.Fatal(err)
	}
	port := appPort
	if addr.Network() == "udp" {
		port = pool.UDP(appPort)
	}
	up := pool.NewUpstream("container-"+id, "start", map[int]pool.Endpoint{port: {Addr: at, Direct: direct}})
	w.app.Settle(id, 0, func(r *pool.Row) bool { r.BecomeReady(up); return true })
	return up
}

// serves starts a replica that serves each connection with f.
func (w *world) serves(id string, direct bool, f func(*net.TCPConn)) *pool.Upstream {
	w.Helper()
	return w.ready(id, w.accepts(f).Addr(), direct)
}

// accepts serves each connection with f.
func (w *world) accepts(f func(*net.TCPConn)) net.Listener {
	w.Helper()
	listener := w.listener()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); f(conn.(*net.TCPConn)) }()
		}
	}()
	return listener
}

func (w *world) listener() net.Listener {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { listener.Close() })
	return listener
}

// refuses is an address where nothing listens.
func (w *world) refuses(id string) *pool.Upstream {
	listener := w.listener()
	defer listener.Close()
	return w.ready(id, listener.Addr(), true)
}

func echo(conn *net.TCPConn) { _, _ = io.Copy(conn, conn) }

// says sends its name at once, and then echoes.
func says(name string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		_, _ = io.WriteString(conn, name)
		echo(conn)
	}
}

func closes(*net.TCPConn) {}

// lines are the access log's, once there are so many.
func (w *world) lines(n int) []line {
	w.Helper()
	var lines []line
	w.eventually("the access log has its lines", func() bool {
		lines = nil
		decoder := json.NewDecoder(strings.NewReader(w.log.String()))
		for {
			var l line
			if decoder.Decode(&l) != nil {
				return len(lines) >= n
			}
			lines = append(lines, l)
		}
	})
	return lines
}

func (w *world) eventually(what string, holds func() bool) {
	w.Helper()
	for end := time.Now().Add(patient); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("it never came that %s", what)
		}
	}
}

func (w *world) waits() {
	w.Helper()
	w.eventually("somebody waits", func() bool { return w.app.Waiting(time.Now()) > 0 })
}

func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v, want %q", got[:n], err, want)
	}
}

// wantReset reads to the end, which must be a reset.
func wantReset(t *testing.T, conn net.Conn) {
	t.Helper()
	if rest, err := io.ReadAll(conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("got %q, %v, want a reset", rest, err)
	}
}

// refused connects and must be reset, be it before the dial has returned.
func (w *world) refused() { w.Helper(); w.refusedSaying("") }

// refusedSaying hears of the reset from whatever call comes first; the next ones do not hear of it again.
func (w *world) refusedSaying(text string) {
	w.Helper()
	conn, err := net.Dial("tcp", w.address("tcp"))
	if err == nil {
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patient))
		if text != "" {
			_, err = io.WriteString(conn, text)
		}
	}
	switch {
	case err == nil:
		wantReset(w.T, conn)
	case !errors.Is(err, syscall.ECONNRESET):
		w.Fatal(err)
	}
}

// wantEnd reads to the end, which must be a clean one.
func wantEnd(t *testing.T, conn net.Conn) {
	t.Helper()
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
		t.Fatalf("got %q, %v, want the end", rest, err)
	}
}

// reporter notes who failed, and acts as liveness would.
type reporter struct {
	mu     sync.Mutex // guards what follows
	failed []string
	causes []error
	ended  []*pool.Upstream
	act    func(pool.Lease)
}

func (r *reporter) Failed(_ context.Context, lease pool.Lease, err error) {
	r.mu.Lock()
	r.failed = append(r.failed, lease.Replica.ID)
	r.causes = append(r.causes, err)
	act := r.act
	r.mu.Unlock()
	if act != nil {
		act(lease)
	}
}

func (r *reporter) Ended(_ *pool.App, up *pool.Upstream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, up)
}

func (r *reporter) ends() []*pool.Upstream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ended)
}

// does says what happens at each failure.
func (r *reporter) does(act func(pool.Lease)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.act = act
}

func (r *reporter) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.failed...)
}

// suspects takes the replica out of the pick.
func suspects(lease pool.Lease) {
	lease.App().Settle(lease.Replica.ID, 0, func(r *pool.Row) bool { r.Suspected("transport failure"); return true })
}

type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// noLeaks fails if a goroutine of the package outlives the test.
func noLeaks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var left []string
		for end := time.Now().Add(patient); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if left = goroutines(); len(left) == 0 {
				return
			}
		}
		t.Errorf("goroutines are left:\n%s", strings.Join(left, "\n\n"))
	})
}

// goroutines are those of the package, without the tests' own.
func goroutines() (list []string) {
	buffer := make([]byte, 4<<20)
	for _, stack := range strings.Split(string(buffer[:goruntime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, "/l4.(*") && !strings.Contains(stack, "_test.go") {
			list = append(list, stack)
		}
	}
	return list
}
