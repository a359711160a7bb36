package simulation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replays of each script: what falls on one instant is ordered by chance.
const replays = 20

// What failed once does not fail again.
func TestReplay(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.script")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".script"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for range replays {
				if found := play(t, s, nil); found != nil {
					t.Fatalf("%s\n%s", found, found.story)
				}
			}
		})
	}
}

// A script survives being written and read.
func TestScriptText(t *testing.T) {
	for seed := range uint64(200) {
		want := generate(seed).String()
		s, err := parse(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.String(); got != want {
			t.Fatalf("written and read:\n%s\nwas\n%s", got, want)
		}
	}
	for _, wrong := range []string{"", "host docker", "host docker\napp a max=many", "host docker\napp a\nfly a"} {
		if _, err := parse(wrong); err == nil {
			t.Errorf("%q is a script", wrong)
		}
	}
}
