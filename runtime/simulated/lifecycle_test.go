package simulated_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

const image = "docker.io/library/hello:latest"

func spec(app, replica string) runtime.Spec {
	return runtime.Spec{
		Name: runtime.ContainerName("main", app, replica), Image: image,
		Labels: map[string]string{
			runtime.LabelInstance: "main", runtime.LabelApp: app, runtime.LabelReplica: replica,
		},
		Ports: []runtime.Port{{Number: 8080, Proto: "tcp", Publish: true, HostIP: "127.0.0.1"}},
	}
}

func newEngine(options simulated.Options, img simulated.Image) (*simulated.Engine, *simulated.World) {
	world := simulated.NewWorld(options)
	world.SetImage(image, img)
	return simulated.New("main", world), world
}

// run creates and starts a container through the engine.
func run(t *testing.T, e *simulated.Engine, s runtime.Spec) runtime.Container {
	t.Helper()
	id, err := e.Create(t.Context(), s)
	if err == nil {
		err = e.Start(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	return inspect(t, e, id)
}

func inspect(t *testing.T, e *simulated.Engine, id string) runtime.Container {
	t.Helper()
	c, err := e.Inspect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}

func TestLifecycle(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{Volumes: []string{"/data"}})
	c := run(t, e, spec("hello", "r1"))
	if c.Status != runtime.StatusRunning || len(c.ID) != 64 || c.Start == "" || len(c.IPs) != 1 || c.AnonymousVolumes != 1 {
		t.Fatalf("started: %+v", c)
	}
	wantErr(t, e.Remove(t.Context(), c.ID, false), runtime.ErrStillRunning)
	must(t, e.Start(t.Context(), c.ID)) // already so
	must(t, e.Stop(t.Context(), c.ID, time.Second))
	must(t, e.Stop(t.Context(), c.ID, time.Second))
	if s := inspect(t, e, c.Name); s.Status != runtime.StatusExited || s.IPs != nil || s.Published != nil {
		t.Fatalf("stopped: %+v", s)
	}
	must(t, e.Remove(t.Context(), c.ID, false))
	must(t, e.Remove(t.Context(), c.ID, false))
	_, err := e.Inspect(t.Context(), c.ID)
	wantErr(t, err, runtime.ErrNotFound)
	wantErr(t, e.Start(t.Context(), c.ID), runtime.ErrNotFound)
	if world.DanglingVolumes() != 0 || len(e.All()) != 0 {
		t.Fatal("the removal left something behind")
	}
}

func TestCreateRefusals(t *testing.T) {
	e, _ := newEngine(simulated.Options{}, simulated.Image{})
	run(t, e, spec("hello", "r1"))
	_, err := e.Create(t.Context(), spec("hello", "r1"))
	wantErr(t, err, runtime.ErrConflict)
	_, err = e.Create(t.Context(), runtime.Spec{Name: "x y", Image: image})
	wantErr(t, err, runtime.ErrInvalid)
	_, err = e.Create(t.Context(), runtime.Spec{Name: "other", Image: "docker.io/library/none:latest"})
	wantErr(t, err, runtime.ErrNotFound)
}

func TestPull(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{Absent: true})
	wantErr(t, e.Pull(t.Context(), image, runtime.PullNever), runtime.ErrNotFound)
	_, err := e.Image(t.Context(), image)
	wantErr(t, err, runtime.ErrNotFound)
	must(t, e.Pull(t.Context(), "hello", runtime.PullMissing))
	_, err = e.Image(t.Context(), image)
	must(t, err)
	world.SetImage(image, simulated.Image{Unpullable: true})
	must(t, e.Pull(t.Context(), image, runtime.PullNewer))
	wantErr(t, e.Pull(t.Context(), image, runtime.PullAlways), runtime.ErrNotFound)
}

// A restart is another start of the same container; Docker then moves the published port, Podman the address.
func TestRestartMoves(t *testing.T) {
	for manner, name := range map[simulated.Manner]string{simulated.LikeDocker: "docker", simulated.LikePodman: "podman"} {
		t.Run(name, func(t *testing.T) {
			e, world := newEngine(simulated.Options{Manner: manner}, simulated.Image{})
			was := run(t, e, spec("hello", "r1"))
			must(t, world.Restart(was.ID, 0))
			is := inspect(t, e, was.ID)
			if is.Start == was.Start || !is.Runs() {
				t.Fatalf("restarted: %+v, was %+v", is, was)
			}
			if moved := is.Published[8080] != was.Published[8080]; moved != (manner == simulated.LikeDocker) {
				t.Errorf("published port moved: %v", moved)
			}
			if moved := is.IPs[0] != was.IPs[0]; moved != (manner == simulated.LikePodman) {
				t.Errorf("address moved: %v", moved)
			}
		})
	}
}

// case B002: a freed address goes to a stranger, and the restarted container gets another one.
func TestAddressReuse(t *testing.T) {
	e, world := newEngine(simulated.Options{ReuseNewest: true}, simulated.Image{})
	web := run(t, e, spec("web", "r1"))
	must(t, world.Stop(web.ID))
	other := run(t, e, spec("other", "r1"))
	if other.IPs[0] != web.IPs[0] {
		t.Fatalf("other got %v, web had %v", other.IPs, web.IPs)
	}
	must(t, world.Start(web.ID))
	if now := inspect(t, e, web.ID); now.IPs[0] == other.IPs[0] {
		t.Fatal("two containers have one address")
	}
}

func TestDurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{
			CreateTime: time.Second, StartTime: 2 * time.Second, StopTime: 20 * time.Second,
			Crashes: true, CrashAfter: time.Minute, ExitCode: 3, CrashLog: "no database\n",
		})
		began := time.Now()
		c := run(t, e, spec("hello", "r1"))
		if took := time.Since(began); took != 3*time.Second {
			t.Fatalf("create and start took %v", took)
		}
		must(t, e.Stop(t.Context(), c.ID, 9500*time.Millisecond))
		if s := inspect(t, e, c.ID); time.Since(began) != 13*time.Second || s.ExitCode != 137 {
			t.Fatalf("killed after %v with code %d", time.Since(began), s.ExitCode)
		}
		must(t, e.Start(t.Context(), c.ID))
		time.Sleep(time.Minute + time.Second)
		if s := inspect(t, e, c.ID); s.Status != runtime.StatusExited || s.ExitCode != 3 {
			t.Fatalf("crashed: %+v", s)
		}
	})
}

func TestPause(t *testing.T) {
	e, _ := newEngine(simulated.Options{}, simulated.Image{})
	c := run(t, e, spec("hello", "r1"))
	must(t, e.Pause(t.Context(), c.ID))
	must(t, e.Pause(t.Context(), c.ID))
	if s := inspect(t, e, c.ID); s.Status != runtime.StatusPaused || s.Start != c.Start {
		t.Fatalf("paused: %+v", s)
	}
	wantErr(t, e.Remove(t.Context(), c.ID, false), runtime.ErrStillRunning)
	must(t, e.Unpause(t.Context(), c.ID))
	stiff, _ := newEngine(simulated.Options{CannotPause: true}, simulated.Image{})
	wantErr(t, stiff.Pause(t.Context(), run(t, stiff, spec("hello", "r1")).ID), runtime.ErrUnsupported)
}

func TestSeedsAreDeterministicAndApart(t *testing.T) {
	first, _ := newEngine(simulated.Options{Seed: 1}, simulated.Image{})
	again, _ := newEngine(simulated.Options{Seed: 1}, simulated.Image{})
	other, _ := newEngine(simulated.Options{Seed: 2}, simulated.Image{})
	a, b, c := run(t, first, spec("x", "r1")), run(t, again, spec("x", "r1")), run(t, other, spec("x", "r1"))
	if a.ID != b.ID || a.IPs[0] != b.IPs[0] {
		t.Error("the same seed gave another world")
	}
	if a.ID == c.ID || a.IPs[0] == c.IPs[0] || a.Published[8080] == c.Published[8080] {
		t.Error("two seeds share an id, an address or a port")
	}
}
