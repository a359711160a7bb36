package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one run of the binary.
type process struct {
	cmd       *exec.Cmd
	log       *logbook
	exited    chan struct{} // closed at its end
	began     time.Time
	listening time.Time
	address   string // where HTTP is served
}

// run starts the binary.
func run(t *testing.T, file string, more ...string) *process {
	t.Helper()
	return runWith(t, nil, file, more...)
}

// runWith gives it an environment of its own: a FAIRLEAD_… of ours would be configuration to it.
func runWith(t *testing.T, env []string, file string, more ...string) *process {
	t.Helper()
	return begin(t, env, exec.Command(binary, append([]string{"run", "-c", file}, more...)...))
}

// runAs has another user run a copy of the binary: where we run, he may not look.
func runAs(t *testing.T, command []string, f *fairlead) *process {
	t.Helper()
	own := filepath.Join(f.dir, "fairlead")
	if out, err := exec.Command("install", "-m", "0755", binary, own).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return begin(t, f.env, exec.Command(command[0], append(command[1:], own, "run", "-c", f.file())...))
}

func begin(t *testing.T, env []string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, log: &logbook{}, exited: make(chan struct{})}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	p.cmd.Env = append(p.cmd.Env, env...) // of two values of a name, the last counts
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.wait()
	return p
}

func (p *process) wait() {
	_ = p.cmd.Wait() // the state says how it ended
	close(p.exited)
}

func (p *process) awaitListening(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if address, at := p.log.listening(); address != "" {
			p.address, p.listening = address, at
			return
		}
		select {
		case <-p.exited:
			t.Fatalf("fairlead ended at once, %s:\n%s", p.cmd.ProcessState, p.log.tail(50))
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("fairlead does not listen:\n%s", p.log.tail(50))
		}
	}
}

// kill is kill -9; it returns when the process is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // may have ended
	<-p.exited
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// awaitExit returns the exit code.
func (p *process) awaitExit(t *testing.T) int {
	t.Helper()
	settled(t, "the end of fairlead", p.exited)
	return p.cmd.ProcessState.ExitCode()
}

// resident is the process's memory in KiB.
func (p *process) resident() (kib int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	if !found {
		return 0, errors.New("no VmRSS")
	}
	_, err = fmt.Sscan(rest, &kib)
	return kib, err
}

// logbook takes what the process writes.
type logbook struct {
	mu      sync.Mutex // guards all below
	text    bytes.Buffer
	address string
	at      time.Time
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.address == "" {
		l.address, l.at = addressIn(p), time.Now()
	}
	return l.text.Write(p)
}

// addressIn reads the line by which Fairlead says where it listens; slog writes each line at once.
func addressIn(lines []byte) string {
	for line := range bytes.Lines(lines) {
		var said struct {
			Msg  string
			HTTP []string
		}
		if json.Unmarshal(line, &said) == nil && said.Msg == "listening" && len(said.HTTP) > 0 {
			return said.HTTP[0]
		}
	}
	return ""
}

func (l *logbook) listening() (string, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.address, l.at
}

func (l *logbook) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.SplitAfter(l.text.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
