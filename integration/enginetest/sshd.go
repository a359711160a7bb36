package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// SSHD is an OpenSSH server on loopback, with settings and keys of its own, that lets whoever runs the test in.
type SSHD struct {
	Identity   string // a private key that it accepts
	KnownHosts string // its host key, as a client knows it
	dir        string
	user, port string
	log        lockedBuffer
	process    *exec.Cmd
}

const program = "/usr/sbin/sshd" // sshd wants to be called by its absolute path: it starts itself again

// NewSSHD starts one. Without the program the test is skipped, but fails in CI.
func NewSSHD(t *testing.T) *SSHD {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("there is no %s: apt-get install openssh-server", program)
		}
		t.Skipf("there is no %s: apt-get install openssh-server", program)
	}
	self, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &SSHD{Identity: filepath.Join(dir, "id"), KnownHosts: filepath.Join(dir, "known_hosts"), dir: dir,
		user: self.Username, port: freePort(t)}
	MakeKey(t, s.Identity, "ed25519", "")
	s.NewHostKey(t)
	s.configure(t, "AllowStreamLocalForwarding local")
	t.Cleanup(func() { s.Kill() })
	s.Start(t)
	return s
}

// URL leads over the server to a socket.
func (s *SSHD) URL(socket string) string {
	return "ssh://" + s.user + "@" + s.Address() + strings.TrimPrefix(socket, "unix://")
}

// Address is where it listens.
func (s *SSHD) Address() string { return net.JoinHostPort("127.0.0.1", s.port) }

// NewHostKey gives it another key with the next start, which KnownHosts holds unless it is written anew.
func (s *SSHD) NewHostKey(t *testing.T) {
	t.Helper()
	file := filepath.Join(s.dir, "host")
	_ = os.Remove(file) // ssh-keygen would ask
	MakeKey(t, file, "ed25519", "")
	s.Vouch(t, file)
}

// Vouch writes KnownHosts for a key alone.
func (s *SSHD) Vouch(t *testing.T, file string) {
	t.Helper()
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "known_hosts", "[127.0.0.1]:"+s.port+" "+string(public))
}

// Reconfigure starts it again with more settings, which come first and so win (sshd_config(5)).
func (s *SSHD) Reconfigure(t *testing.T, settings string) {
	t.Helper()
	s.Kill()
	s.configure(t, settings)
	s.Start(t)
}

// Start returns when it listens.
func (s *SSHD) Start(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where it locks its helper in
			t.Fatal(err)
		}
	}
	s.process = exec.Command(program, "-D", "-e", "-f", filepath.Join(s.dir, "config"))
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", s.Address(), dialBound)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v\n%s", err, s.log.String())
		}
	}
}

// Kill ends it and every connection.
func (s *SSHD) Kill() {
	if s.process == nil {
		return
	}
	s.Signal(syscall.SIGKILL)
	_ = s.process.Process.Kill()
	_ = s.process.Wait() // it was killed
	s.process = nil
}

// Signal reaches the processes that serve connections: SIGKILL cuts those, SIGSTOP leaves them open and silent.
func (s *SSHD) Signal(signal syscall.Signal) {
	for _, pid := range descendants(s.process.Process.Pid) {
		_ = syscall.Kill(pid, signal) // may have ended
	}
}

// Logins counts the connections that were let in so far.
func (s *SSHD) Logins() int { return strings.Count(s.log.String(), "Accepted publickey") }

// Connections counts the processes that serve some.
func (s *SSHD) Connections() int { return len(descendants(s.process.Process.Pid)) }

func (s *SSHD) configure(t *testing.T, settings string) {
	t.Helper()
	s.write(t, "config", fmt.Sprintf(`%s
ListenAddress 127.0.0.1
Port %s
HostKey %s/host
AuthorizedKeysFile %s/id.pub
PidFile none
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
`, settings, s.port, s.dir, s.dir))
}

// MakeKey has ssh-keygen write a private key and, beside it, its public half.
func MakeKey(t *testing.T, file, kind, passphrase string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	output, err := exec.CommandContext(ctx, "ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", file).CombinedOutput()
	if err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, output)
	}
}

func (s *SSHD) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// descendants of a process, the eldest first.
func descendants(pid int) (found []int) {
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is well-formed
	for _, list := range children {
		text, _ := os.ReadFile(list) // the process may have ended
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// lockedBuffer takes a process's output while a test reads it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
