package runtime_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

// overSSH is an engine on a socket behind an OpenSSH server.
func overSSH(t *testing.T, server *enginetest.SSHD, how tunnel.SSH) *runtime.Socket {
	t.Helper()
	url := enginetest.Fake(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") }))
	return socketTo(t, server.URL(url), how)
}

func socketTo(t *testing.T, url string, how tunnel.SSH) *runtime.Socket {
	t.Helper()
	socket, err := runtime.NewSocket(url, nil, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(socket.Close)
	return socket
}

func login(server *enginetest.SSHD) tunnel.SSH {
	return tunnel.SSH{Identity: server.Identity, KnownHosts: server.KnownHosts}
}

func ping(socket *runtime.Socket) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := socket.Ping(ctx)
	return err
}

// Many streams, one connection; a cut one is made again when it is needed.
func TestSSHConnectionIsShared(t *testing.T) {
	server := enginetest.NewSSHD(t)
	socket := overSSH(t, server, login(server))
	pings := make(chan error)
	for range 20 {
		go func() { pings <- ping(socket) }()
	}
	for range 20 {
		if err := <-pings; err != nil {
			t.Error(err)
		}
	}
	if n := server.Logins(); n != 1 {
		t.Errorf("20 pings made %d logins", n)
	}
	if socket.Dials() < 2 {
		t.Errorf("want the streams counted as dials, got %d", socket.Dials())
	}
	server.Kill()
	if err := ping(socket); err == nil {
		t.Error("answered without a server")
	}
	server.Start(t)
	if err := ping(socket); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

// The connection goes with the socket, and a socket that is used again makes another.
func TestSSHConnectionEndsWithTheSocket(t *testing.T) {
	server := enginetest.NewSSHD(t)
	socket := overSSH(t, server, login(server))
	for range 2 {
		if err := ping(socket); err != nil {
			t.Fatal(err)
		}
		socket.Close()
		soon(t, "the connection's end", func() bool { return server.Connections() == 0 })
	}
}

// A stream that is in use outlives the socket's end, and the connection ends with it.
func TestSSHStreamInUse(t *testing.T) {
	server := enginetest.NewSSHD(t)
	asked, release := make(chan struct{}), make(chan struct{})
	url := enginetest.Fake(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	socket := socketTo(t, server.URL(url), login(server))
	answered := make(chan error, 1)
	go func() { answered <- ping(socket) }()
	<-asked
	socket.Close()
	close(release)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	socket.Close() // the stream, which is idle now
	soon(t, "the connection's end", func() bool { return server.Connections() == 0 })
}

// case B022: a connection whose other side has gone silent is closed. A request that waits on it goes again over a new
// one, by net/http's rules.
func TestSSHHalfOpen(t *testing.T) {
	server := enginetest.NewSSHD(t)
	how := login(server)
	how.KeepAlive = 200 * time.Millisecond
	socket := overSSH(t, server, how)
	if err := ping(socket); err != nil {
		t.Fatal(err)
	}
	dials := socket.Dials()
	server.Signal(syscall.SIGSTOP)
	if err := ping(socket); err != nil {
		t.Error(err)
	}
	if socket.Dials() == dials {
		t.Error("answered by a stopped server")
	}
}

func TestSSHHostKeys(t *testing.T) {
	server := enginetest.NewSSHD(t)
	how := login(server)
	how.KnownHosts = filepath.Join(t.TempDir(), "none")
	err := ping(overSSH(t, server, how))
	if !errors.Is(err, tunnel.ErrHostKeyUnknown) || !strings.Contains(err.Error(), how.KnownHosts) {
		t.Fatalf("unknown: got %v", err)
	}
	_, line, _ := strings.Cut(err.Error(), "add this line there: ")
	line = strings.TrimSuffix(line, ": "+tunnel.ErrHostKeyUnknown.Error())
	if err := os.WriteFile(how.KnownHosts, []byte("# kept\n"+line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := overSSH(t, server, how)
	if err := ping(socket); err != nil {
		t.Fatalf("with the line %q: %v", line, err)
	}
	server.Kill()
	server.NewHostKey(t)
	server.Start(t)
	err = ping(socket)
	if !errors.Is(err, tunnel.ErrHostKeyChanged) || !strings.Contains(err.Error(), how.KnownHosts+":2") {
		t.Errorf("changed: got %v", err)
	}
	how.KnownHosts = server.KnownHosts
	if err := ping(overSSH(t, server, how)); err != nil {
		t.Errorf("the new key, known: %v", err)
	}
}

// A host has keys of several kinds: whichever of them is known is the one that it is asked for.
func TestSSHHostKeyOfTheKnownKind(t *testing.T) {
	server := enginetest.NewSSHD(t)
	dir, settings := t.TempDir(), ""
	for _, kind := range []string{"ecdsa", "rsa", "ed25519"} {
		enginetest.MakeKey(t, filepath.Join(dir, kind), kind, "")
		settings += "HostKey " + filepath.Join(dir, kind) + "\n"
	}
	server.Reconfigure(t, settings)
	for _, kind := range []string{"ecdsa", "rsa", "ed25519"} {
		server.Vouch(t, filepath.Join(dir, kind))
		if err := ping(overSSH(t, server, login(server))); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestSSHKeys(t *testing.T) {
	server := enginetest.NewSSHD(t)
	dir := t.TempDir()
	locked, foreign := filepath.Join(dir, "locked"), filepath.Join(dir, "foreign")
	enginetest.MakeKey(t, locked, "ed25519", "secret")
	enginetest.MakeKey(t, foreign, "ed25519", "")
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		how  tunnel.SSH
		want error
		says string
	}{
		"passphrase": {tunnel.SSH{Identity: locked}, tunnel.ErrPassphrase, locked},
		"no file":    {tunnel.SSH{Identity: "/none"}, os.ErrNotExist, "/none"},
		"no key":     {tunnel.SSH{Identity: server.KnownHosts}, nil, "no key"},
		"refused":    {tunnel.SSH{Identity: foreign}, nil, "unable to authenticate"},
		"none":       {tunnel.SSH{Home: home}, tunnel.ErrNoKey, "set identity"},
		"no agent":   {tunnel.SSH{Agent: "/none"}, tunnel.ErrNoKey, "ask the agent"},
	} {
		test.how.KnownHosts = server.KnownHosts
		err := ping(overSSH(t, server, test.how))
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := ping(overSSH(t, server, tunnel.SSH{Agent: agentWith(t, server.Identity), KnownHosts: server.KnownHosts})); err != nil {
		t.Errorf("by the agent: %v", err)
	}
	for from, to := range map[string]string{server.Identity: "id_ed25519", server.KnownHosts: "known_hosts"} {
		if err := os.Link(from, filepath.Join(home, ".ssh", to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := ping(overSSH(t, server, tunnel.SSH{Home: home})); err != nil {
		t.Errorf("by the usual files: %v", err)
	}
}

// agentWith is an ssh-agent that holds one key.
func agentWith(t *testing.T, identity string) (socket string) {
	t.Helper()
	text, err := os.ReadFile(identity)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParseRawPrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, conn)
		}
	}()
	return socket
}

// What sshd refuses is told with what to do.
func TestSSHRefusals(t *testing.T) {
	server := enginetest.NewSSHD(t)
	if err := ping(socketTo(t, server.URL("/nowhere.sock"), login(server))); err == nil || !strings.Contains(err.Error(), "nobody listens there") {
		t.Errorf("no socket: got %v", err)
	}
	server.Reconfigure(t, "AllowStreamLocalForwarding no")
	if err := ping(overSSH(t, server, login(server))); err == nil || !strings.Contains(err.Error(), "AllowStreamLocalForwarding") {
		t.Errorf("forbidden: got %v", err)
	}
}

// P6: a server that takes connections and says nothing costs a caller his own time, not the next one's.
func TestSSHSilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dir := t.TempDir()
	enginetest.MakeKey(t, filepath.Join(dir, "id"), "ed25519", "")
	socket := socketTo(t, "ssh://ana@"+listener.Addr().String()+"/s", tunnel.SSH{Identity: filepath.Join(dir, "id"), KnownHosts: dir + "/none"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := socket.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func soon(t *testing.T, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !check(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}
