package harness

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Process is a program that runs until it is ended.
type Process struct {
	Name   string
	Began  time.Time
	cmd    *exec.Cmd
	log    string
	exited chan struct{}
}

// Start runs a program with its output in a file of the run. It ends with the run, or before.
func (r *Run) Start(name string, env []string, command string, args ...string) (*Process, error) {
	p := &Process{Name: name, log: r.Path(name + ".log"), exited: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(command, args...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir}, env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.Began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go p.wait()
	r.Defer(p.End)
	return p, nil
}

func (p *Process) wait() {
	_ = p.cmd.Wait() // how it ended does not matter
	close(p.exited)
}

// PID is the first process's; workers are its children.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// End asks the process to leave, and kills it when it does not. It may be called again.
func (p *Process) End() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // may have ended
	select {
	case <-p.exited:
	case <-time.After(3 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

// AwaitListening returns when something accepts at the address, and an error with the process's last words when it ends
// before.
func (p *Process) AwaitListening(ctx context.Context, address string) error {
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended: %s", p.Name, p.LastWords())
		case <-ctx.Done():
			return fmt.Errorf("%s does not listen on %s: %s", p.Name, address, p.LastWords())
		case <-time.After(time.Millisecond):
		}
	}
}

// LastWords are the end of what the process wrote.
func (p *Process) LastWords() string {
	text, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
