package simulated_test

import (
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// P9: docker commit copies our labels into an image, and so into a stranger's container.
func TestCommitCopiesLabels(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	c := run(t, e, spec("hello", "r1"))
	must(t, world.Commit(c.ID, "copied"))
	_, err := world.Run(runtime.Spec{Name: "stranger", Image: "copied"})
	must(t, err)
	listed, err := e.List(t.Context())
	must(t, err)
	if len(listed) != 2 || listed[1].Labels[runtime.LabelApp] != "hello" {
		t.Fatalf("listed %+v", listed)
	}
	if runtime.Ours(listed[1], "main") {
		t.Fatal("the stranger's container counts as ours")
	}
}

func TestRecreate(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{Volumes: []string{"/data"}})
	old := run(t, e, spec("hello", "r1"))
	id, err := world.Recreate(old.Name)
	must(t, err)
	if now := inspect(t, e, old.Name); now.ID != id || id == old.ID || !now.Runs() || !runtime.Ours(now, "main") {
		t.Fatalf("got %+v", now)
	}
	if v := verdict(t, e, query(old)); v != runtime.Missing {
		t.Fatalf("the old one: %v", v)
	}
	if world.DanglingVolumes() != 1 {
		t.Fatal("docker rm -f took the anonymous volume along")
	}
}

func TestRestartTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{})
		c := run(t, e, spec("hello", "r1"))
		must(t, world.Restart(c.ID, time.Second))
		if v := verdict(t, e, query(c)); v != runtime.Stopped {
			t.Fatalf("in between: %v", v)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if v := verdict(t, e, query(c)); v != runtime.Running {
			t.Fatalf("afterwards: %v", v)
		}
	})
}

func TestPeakAndOOM(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	run(t, e, spec("hello", "r1"))
	c := run(t, e, spec("hello", "r2"))
	must(t, world.OOM(c.ID))
	if s := inspect(t, e, c.ID); !s.OOM || s.ExitCode != 137 {
		t.Fatalf("got %+v", s)
	}
	must(t, world.Restart("fairlead-main-hello-r1", 0))
	if world.Peak("hello") != 2 || len(world.Running("hello")) != 1 || len(world.Of("hello")) != 2 {
		t.Fatal("the truth is wrong")
	}
}

func TestLogs(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	c := run(t, e, spec("hello", "r1"))
	must(t, world.Print(c.ID, "one"))
	must(t, world.Print(c.ID, "two"))
	last, err := e.Logs(t.Context(), c.ID, runtime.LogOptions{Tail: 1})
	must(t, err)
	if text, _ := io.ReadAll(last); string(text) != "two\n" {
		t.Fatalf("tail: %q", text)
	}
	follow, err := e.Logs(t.Context(), c.ID, runtime.LogOptions{Tail: 1, Follow: true})
	must(t, err)
	must(t, world.Print(c.ID, "three"))
	must(t, world.Kill(c.ID))
	if text, err := io.ReadAll(follow); err != nil || string(text) != "two\nthree\n" {
		t.Fatalf("follow: %q, %v", text, err)
	}
}

func TestOnStart(t *testing.T) {
	var log []string
	behind := netip.MustParseAddrPort("127.0.0.1:1")
	world := simulated.NewWorld(simulated.Options{
		OnStart: func(c runtime.Container) (netip.AddrPort, func()) {
			log = append(log, "start "+c.Labels[runtime.LabelApp])
			return behind, func() { log = append(log, "stop") }
		},
	})
	world.SetImage(image, simulated.Image{})
	e := simulated.New("main", world)
	c := run(t, e, spec("hello", "r1"))
	if c.Published[8080] != behind {
		t.Fatalf("published %v", c.Published)
	}
	must(t, world.Restart(c.ID, 0))
	must(t, e.Remove(t.Context(), c.ID, true))
	if got := strings.Join(log, ", "); got != "start hello, stop, start hello, stop" {
		t.Fatalf("hooks: %s", got)
	}
}
