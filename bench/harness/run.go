package harness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// Run is one benchmark's directory and what must end with it, last begun first.
type Run struct {
	Dir  string // short, since a socket's path must be
	ends []func()
}

// NewRun makes the directory, and lifts the limit of descriptors for all that is started from here: Go lifts it for
// itself alone and gives children the old one.
func NewRun() (*Run, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, fmt.Errorf("read the limit of descriptors: %w", err)
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil, fmt.Errorf("lift the limit of descriptors: %w", err)
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir}
	r.Defer(func() { os.RemoveAll(dir) })
	return r, nil
}

// Defer has end called by Close.
func (r *Run) Defer(end func()) { r.ends = append(r.ends, end) }

// Close ends all that was begun.
func (r *Run) Close() {
	for len(r.ends) > 0 {
		last := len(r.ends) - 1
		end := r.ends[last]
		r.ends = r.ends[:last]
		end()
	}
}

// Path is a file in the run's directory.
func (r *Run) Path(name string) string { return filepath.Join(r.Dir, name) }

// Write makes a file in the run's directory and returns its path.
func (r *Run) Write(name, text string) (string, error) {
	path := r.Path(name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// FreeAddress is a loopback address on which nothing listens. It lies below the ports that the kernel gives to clients
// (32768 and up), which would take it before it is used, or while a process is begun again.
func FreeAddress() (address string, err error) {
	for range 20 {
		address = fmt.Sprintf("127.0.0.1:%d", 20000+rand.N(10000))
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}
