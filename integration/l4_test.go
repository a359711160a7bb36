package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/journal"
)

// echoes is an app that echoes over TCP and UDP; more goes into its map.
func echoes(more string) string {
	return `
  echo:
    route: [{tcp: "127.0.0.1:0", port: 7000}, {udp: "127.0.0.1:0", port: 7001}]
    port: 8080
    env: {DEMO_TCP: "7000", DEMO_UDP: "7001", DEMO_BOOT: 300ms}
` + more
}

// l4 is where the one listener of the protocol is.
func (f *fairlead) l4(t *testing.T, proto string) string {
	t.Helper()
	f.process.log.mu.Lock()
	defer f.process.log.mu.Unlock()
	for line := range strings.Lines(f.process.log.text.String()) {
		var said struct {
			Msg string
			L4  []string
		}
		if json.Unmarshal([]byte(line), &said) != nil || said.Msg != "listening" {
			continue
		}
		for _, address := range said.L4 {
			if at, ok := strings.CutPrefix(address, proto+" "); ok {
				return at
			}
		}
	}
	t.Fatalf("no %s listener in the log", proto)
	return ""
}

func (f *fairlead) dial(t *testing.T, proto string) net.Conn {
	t.Helper()
	conn, err := net.Dial(proto, f.l4(t, proto))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn
}

// say writes and returns what comes back at once.
func say(conn net.Conn, text string) (string, error) {
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	answer := make([]byte, 64<<10)
	n, err := conn.Read(answer)
	return string(answer[:n]), err
}

// asked is what the app answers over a connection of its own.
func (f *fairlead) asked(t *testing.T, proto, text string) string {
	t.Helper()
	conn := f.dial(t, proto)
	defer conn.Close()
	answer, err := say(conn, text)
	if err != nil {
		t.Fatalf("%s %q: %v", proto, text, err)
	}
	return strings.TrimSpace(answer)
}

func TestL4Cold(t *testing.T) { onEachReach(t, coldL4) }

// Many come at once over both protocols: they wait for one container, and it answers all.
func coldL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	clients := map[int]<-chan error{}
	for i := range 30 {
		proto := []string{"tcp", "udp"}[i%2]
		conn := f.dial(t, proto)
		clients[i] = meanwhile(func() error {
			text := fmt.Sprintf("%s client %d", proto, i)
			if got, err := say(conn, text); err != nil || got != text {
				return fmt.Errorf("%s: got %q, %v", text, got, err)
			}
			return nil
		})
	}
	for i := range clients {
		if err := settled(t, "a client", clients[i]); err != nil {
			t.Error(err)
		}
	}
	id := f.row(t, "echo").ID
	if tcp, udp := f.asked(t, "tcp", "id\n"), f.asked(t, "udp", "id\n"); tcp != id || udp != id {
		t.Errorf("answered by %s and %s, want %s", tcp, udp, id)
	}
	f.only(t, "echo")
}

func TestL4HalfClose(t *testing.T) { onEachReach(t, halfCloseL4) }

// case B140: a client that ends its direction gets the rest, here a mebibyte, through a container that was not there yet.
func halfCloseL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	conn := f.dial(t, "tcp").(*net.TCPConn)
	text := strings.Repeat("0123456789abcdef", 1<<16)
	sent := meanwhile(func() error {
		_, err := io.WriteString(conn, text)
		return errors.Join(err, conn.CloseWrite())
	})
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != text {
		t.Errorf("got %d of %d bytes, %v", len(got), len(text), err)
	}
	if err := settled(t, "the sending", sent); err != nil {
		t.Error(err)
	}
}

func TestL4Removed(t *testing.T) { onEachReach(t, removedL4) }

// docker rm -f: who is connected is cut off at once, and who comes next is served by another container.
func removedL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	conn, datagrams := f.dial(t, "tcp"), f.dial(t, "udp")
	old, err := say(conn, "id\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := say(datagrams, "id\n"); got != old {
		t.Fatalf("got %q, %v", got, err)
	}
	f.outside.remove(f.only(t, "echo").ID)
	if _, err := io.ReadAll(conn); err != nil && !isReset(err) {
		t.Errorf("the open connection: %v", err)
	}
	if got := f.asked(t, "tcp", "id\n"); got == strings.TrimSpace(old) {
		t.Errorf("still answered by %s", got)
	}
	if got, err := say(datagrams, "id\n"); err != nil || got == old {
		t.Errorf("the same UDP client: got %q, %v", got, err)
	}
	f.only(t, "echo")
}

func isReset(err error) bool { return strings.Contains(err.Error(), "connection reset by peer") }

func TestL4Restarted(t *testing.T) { onEachReach(t, restartedL4) }

// docker restart: a client that connects anew is held until the same container is back, over UDP as well.
func restartedL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	conn := f.dial(t, "tcp")
	id, err := say(conn, "id\n")
	if err != nil {
		t.Fatal(err)
	}
	datagrams := f.dial(t, "udp")
	if got, err := say(datagrams, "id\n"); got != id {
		t.Fatalf("got %q, %v", got, err)
	}
	container := f.only(t, "echo").ID
	f.outside.restart(container)
	if _, err := io.ReadAll(conn); err != nil && !isReset(err) {
		t.Errorf("the open connection: %v", err)
	}
	if got := f.asked(t, "tcp", "id\n"); got != strings.TrimSpace(id) {
		t.Errorf("answered by %s, want %s", got, id)
	}
	if got := f.asked(t, "udp", "id\n"); got != strings.TrimSpace(id) {
		t.Errorf("answered by %s over UDP, want %s", got, id)
	}
	if got, err := say(datagrams, "id\n"); err != nil || got != id {
		t.Errorf("the same UDP client: got %q, %v", got, err)
	}
	if now := f.only(t, "echo").ID; now != container {
		t.Errorf("container %s became %s", container, now)
	}
	f.await(t, 0, "echo", journal.ReplicaReadopted)
}

func TestL4AddressTaken(t *testing.T) { onEachReach(t, addressTakenL4) }

// case B020: somebody else has the container's address when it is started again; the address is read anew.
func addressTakenL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	id := f.asked(t, "tcp", "id\n")
	container := f.only(t, "echo").ID
	f.outside.stop(container)
	for n := range 2 { // engines do not all give the address that was freed last
		f.outside.run(image.Plain.Ref(), fmt.Sprintf("%s-filler-%d", f.instance, n), nil)
	}
	if got := f.asked(t, "tcp", "id\n"); got != id {
		t.Errorf("answered by %s, want %s", got, id)
	}
	if now := f.only(t, "echo").ID; now != container {
		t.Errorf("container %s became %s", container, now)
	}
}

func TestL4Sleeps(t *testing.T) { onEachReach(t, sleepsL4) }

// An open connection keeps the app awake, and so does a UDP session; without them it goes, and the next client wakes it.
// case B155: with tcp_idle a silent connection does not keep it.
func sleepsL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes(`
    idle: 1s
    udp_idle: 1s
    tcp_idle: 4s`)})
	conn := f.dial(t, "tcp")
	id, err := say(conn, "id\n")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2500 * time.Millisecond)
	if again, err := say(conn, "still"); err != nil || again != "still" {
		t.Fatalf("after two idle times: %q, %v", again, err)
	}
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
		t.Errorf("a silent connection ended with %q, %v", rest, err)
	}
	f.awaitNone(t, "echo")
	if got := f.asked(t, "udp", "id\n"); got == strings.TrimSpace(id) {
		t.Errorf("answered by %s, which was removed", got)
	}
	f.awaitNone(t, "echo")
}

func TestL4RouteAdded(t *testing.T) { onEachReach(t, routeAddedL4) }

// P7: a TCP route that comes while the app runs costs no connection. By address it works at once; a port that is not
// published yet needs a new container, and nobody is thrown out for it.
func routeAddedL4(t *testing.T, reach string) {
	const before = `
  echo: {route: [{host: echo.test}], port: 8080, env: {DEMO_TCP: "7000"}}`
	const after = `
  echo: {route: [{host: echo.test}, {tcp: "127.0.0.1:%d", port: 7000}], port: 8080, env: {DEMO_TCP: "7000"}}`
	f := launch(t, setup{Reach: reach, Apps: before})
	socket := f.visitor(t).socket(t, "echo")
	container := f.only(t, "echo").ID
	port, since := freePort(t), f.now(t)
	setup{Reach: reach, Apps: fmt.Sprintf(after, port)}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)
	time.Sleep(3 * time.Second) // passes
	socket.echo(t, "still")
	if row := f.row(t, "echo"); row.Suspect || row.State != "ready" || row.Container != container {
		t.Errorf("the replica is %+v", row)
	}
	got := ""
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err == nil { // else the reset was faster
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience))
		got, err = say(conn, "hello")
	}
	if published := reach == "published" || kind == rootless; published && err == nil || !published && got != "hello" {
		t.Errorf("over the new route: %q, %v", got, err)
	}
}

func TestL4Leaving(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: echoes("")})
	conn := f.dial(t, "tcp").(*net.TCPConn)
	if _, err := say(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	f.process.signal(t, 15)
	if got, err := say(conn, "still"); err != nil || got != "still" {
		t.Errorf("an open connection in the grace: %q, %v", got, err)
	}
	conn.Close()
	if code := f.process.awaitExit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
