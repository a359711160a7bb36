package runtime_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

func TestNormalizeImage(t *testing.T) {
	for written, want := range map[string]string{
		"nginx":                         "docker.io/library/nginx:latest",
		"nginx:1.27":                    "docker.io/library/nginx:1.27",
		"rocker/shiny":                  "docker.io/rocker/shiny:latest",
		"docker.io/library/nginx":       "docker.io/library/nginx:latest",
		"localhost/demo":                "localhost/demo:latest",
		"localhost:5000/demo":           "localhost:5000/demo:latest",
		"ghcr.io/a/b@sha256:0123":       "ghcr.io/a/b@sha256:0123",
		"registry.lan:5000/a/b/c:v1":    "registry.lan:5000/a/b/c:v1",
		"nginx:1.27@sha256:0123456789a": "docker.io/library/nginx:1.27@sha256:0123456789a",
	} {
		if got := runtime.NormalizeImage(written); got != want {
			t.Errorf("%s: want %s, got %s", written, want, got)
		}
	}
}

// P9: labels and name must agree; docker commit copies labels.
func TestOurs(t *testing.T) {
	ours := made("c1", "r1", runtime.StatusRunning)
	if !runtime.Ours(ours, "main") {
		t.Error("ours is not recognised")
	}
	slashed := ours
	slashed.Name = "/" + ours.Name
	if !runtime.Ours(slashed, "main") {
		t.Error("Docker's slash hides ours")
	}
	for what, change := range map[string]func(*runtime.Container){
		"another name":      func(c *runtime.Container) { c.Name = "web" },
		"a longer name":     func(c *runtime.Container) { c.Name += "-2" },
		"another instance":  func(c *runtime.Container) { c.Labels[runtime.LabelInstance] = "other" },
		"no app":            func(c *runtime.Container) { delete(c.Labels, runtime.LabelApp) },
		"no replica":        func(c *runtime.Container) { delete(c.Labels, runtime.LabelReplica) },
		"no labels":         func(c *runtime.Container) { c.Labels = nil },
		"another's replica": func(c *runtime.Container) { c.Labels[runtime.LabelReplica] = "r2" },
	} {
		c := made("c1", "r1", runtime.StatusRunning)
		change(&c)
		if runtime.Ours(c, "main") {
			t.Errorf("%s: taken for ours", what)
		}
	}
}

func TestSpecHash(t *testing.T) {
	spec := runtime.Spec{Name: "a", Image: "i", Labels: map[string]string{"k": "v"}, Env: []string{"A=1"}}
	sibling := spec
	sibling.Name, sibling.Labels = "b", map[string]string{"k": "w"}
	if spec.Hash() != sibling.Hash() {
		t.Error("replicas of one app differ")
	}
	if spec.Name != "a" || spec.Labels["k"] != "v" {
		t.Error("the hash changed the spec")
	}
	for what, change := range map[string]func(*runtime.Spec){
		"image": func(s *runtime.Spec) { s.Image = "j" },
		"env":   func(s *runtime.Spec) { s.Env = []string{"A=2"} },
		"ports": func(s *runtime.Spec) { s.Ports = []runtime.Port{{Number: 80}} },
		"cpus":  func(s *runtime.Spec) { s.CPUs = 0.5 },
	} {
		other := spec
		change(&other)
		if other.Hash() == spec.Hash() {
			t.Errorf("another %s has the same hash", what)
		}
	}
}

// P10: nothing unchecked reaches a path of an engine's API.
func TestChecks(t *testing.T) {
	for _, name := range []string{"a", "fairlead-main-app-r1", "0f_.-Z", strings.Repeat("a", 255)} {
		if err := runtime.CheckName(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "-a", "a/b", "../a", "a b", "a%2fb", "a?b", "ä", "a\n", strings.Repeat("a", 256)} {
		if err := runtime.CheckName(name); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%q: want ErrInvalid, got %v", name, err)
		}
	}
	for _, ref := range []string{"nginx", "localhost:5000/a/b:v1@sha256:0123", "sha256:0123"} {
		if err := runtime.CheckImage(ref); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, ref := range []string{"", "/a", "a/../b", "a//b", "a?b", "a b", "a#b", strings.Repeat("a", 513)} {
		if err := runtime.CheckImage(ref); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%q: want ErrInvalid, got %v", ref, err)
		}
	}
}

// P10: a spec is refused as a whole, and every reason is told.
func TestCheckSpec(t *testing.T) {
	good := runtime.Spec{Name: "a", Image: "b", Networks: []string{"inner", "container:web"},
		Volumes: []runtime.Volume{{Source: "data", Target: "/data"}, {Source: "/srv", Target: "/srv", Options: "z"}}}
	if err := runtime.CheckSpec(good); err != nil {
		t.Error(err)
	}
	bad := runtime.Spec{Name: "../a", Image: "b b", Networks: []string{"container:../x"}, Volumes: []runtime.Volume{
		{Source: "rel/ative", Target: "/a"}, {Source: "data", Target: "relative"}, {Source: "/a:/b", Target: "/c"}}}
	err := runtime.CheckSpec(bad)
	if !errors.Is(err, runtime.ErrInvalid) {
		t.Fatalf("want ErrInvalid, got %v", err)
	}
	for _, reason := range []string{"../a", "b b", "../x", "rel/ative", "relative", "/a:/b"} {
		if !strings.Contains(err.Error(), strconv.Quote(reason)) {
			t.Errorf("nothing about %q in: %v", reason, err)
		}
	}
}

func TestGraceSeconds(t *testing.T) {
	for grace, want := range map[time.Duration]int{
		-time.Second: 0, 0: 0, 1: 1, time.Second: 1, 1500 * time.Millisecond: 2,
	} {
		if got := runtime.GraceSeconds(grace); got != want {
			t.Errorf("%s: want %d, got %d", grace, want, got)
		}
	}
}

func TestAnonymousVolume(t *testing.T) {
	if !runtime.AnonymousVolume(strings.Repeat("0f", 32)) {
		t.Error("a name that an engine made up is anonymous")
	}
	for _, name := range []string{"data", "", strings.Repeat("0f", 31), strings.Repeat("0F", 32)} {
		if runtime.AnonymousVolume(name) {
			t.Errorf("%q is somebody's name", name)
		}
	}
}
