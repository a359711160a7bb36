package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

// second is an engine of a test's own beside the one under test, which it may kill.
type second struct {
	kind    string // docker or podman
	dir     string // short, since sockets lie in it
	url     string
	program string
	args    []string
	env     []string
	log     logbook
	cmd     *exec.Cmd // nil: down
}

// onEachSecond runs a smoke with a second engine of each kind.
func onEachSecond(t *testing.T, smoke func(t *testing.T, s *second)) {
	t.Parallel()
	for _, maker := range []string{docker, podman} {
		t.Run(maker, func(t *testing.T) {
			t.Parallel()
			smoke(t, newSecond(t, maker))
		})
	}
}

// networks counts the bridges: engines know nothing of one another's addresses.
var networks atomic.Int32

// newSecond starts an engine that has the demo image, with files, a bridge and addresses of its own. More arguments are
// for the program.
func newSecond(t *testing.T, maker string, more ...string) *second {
	t.Helper()
	dir, err := os.MkdirTemp("", "fl2-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Unmount(dir+"/root", syscall.MNT_DETACH) // both engines mount it upon itself
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &second{kind: maker, dir: dir, url: "unix://" + dir + "/s.sock"}
	n := networks.Add(1)
	bridge := network{fmt.Sprintf("fltest%d", n), fmt.Sprintf("10.86.%d", n)}
	if maker == docker {
		s.asDocker(t, bridge, more)
	} else {
		s.asPodman(t, bridge, more)
	}
	t.Cleanup(func() { s.dispose(t) })
	s.start(t)
	s.bringImage(t)
	return s
}

func (s *second) bringImage(t *testing.T) {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	if _, err := image.Build(ctx, s.url); err != nil {
		t.Fatal(err)
	}
}

type network struct{ bridge, prefix string }

// takeOver ends another engine and answers at its address from now on.
func (s *second) takeOver(t *testing.T, from *second) {
	t.Helper()
	from.stop(t, syscall.SIGKILL)
	path := strings.TrimPrefix(from.url, "unix://")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimPrefix(s.url, "unix://"), path); err != nil {
		t.Fatal(err)
	}
}

// need skips a test that lacks a program or the right to use it, but fails it in CI.
func need(t *testing.T, programs ...string) {
	t.Helper()
	var lacks []string
	if os.Geteuid() != 0 {
		lacks = append(lacks, "root")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			lacks = append(lacks, program)
		}
	}
	switch {
	case len(lacks) == 0:
	case os.Getenv("CI") == "true":
		t.Fatalf("this smoke needs %s", strings.Join(lacks, ", "))
	default:
		t.Skipf("this smoke needs %s", strings.Join(lacks, ", "))
	}
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}

func (s *second) file(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start returns when the engine answers.
func (s *second) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(s.program, s.args...)
	s.cmd.Dir = "/" // not in a folder that may be deleted
	s.cmd.Env = append(os.Environ(), s.env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second "+s.kind, func() string {
		if err := s.ping(); err != nil {
			return err.Error() + "\n" + s.log.tail(5)
		}
		return ""
	})
}

func (s *second) ping() error {
	socket, err := runtime.NewSocket(s.url, nil, tunnel.SSH{})
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, cancel := bounded()
	defer cancel()
	_, err = socket.Ping(ctx)
	return err
}

// stop ends the engine; SIGKILL and, for Podman, anything leaves its containers as they are.
func (s *second) stop(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	settled(t, "the end of the second "+s.kind, meanwhile(s.cmd.Wait))
	s.cmd = nil
	s.forgetHelper(t)
}

// dispose takes all containers away, which needs the engine, and then the engine.
func (s *second) dispose(t *testing.T) {
	if t.Failed() {
		t.Logf("log of the second %s:\n%s", s.kind, s.log.tail(30))
	}
	if s.cmd == nil {
		_ = os.Remove(strings.TrimPrefix(s.url, "unix://")) // may lead to another
		s.start(t)
	}
	there := newOutside(t, s.url)
	left, err := there.with(nil)
	for _, c := range left {
		there.drop(c.ID)
	}
	if err := errors.Join(err, s.cmd.Process.Signal(syscall.SIGTERM)); err != nil {
		t.Error(err)
	}
	select {
	case <-meanwhile(s.cmd.Wait):
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		t.Errorf("the second %s does not end", s.kind)
	}
}
