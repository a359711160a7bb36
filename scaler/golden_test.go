package scaler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

var update = flag.Bool("update", false, "write the golden plans anew")

// A plan file is a series of lines; the answers to "plan" follow after a ">". A "policy" begins anew.
//
//	policy KEY=VALUE …         min, max, seats, idle, drain, sleep (remove, stop, pause), keep,
//	                           order (start-first, stop-first), auto, spec, hosts
//	host NAME KEY=VALUE …      down, new (never answered), weight, rows, max
//	row ID STATE …             starting, ready, suspect, unwell, restarting, draining, asleep; then acting, doubt, surge, replace, data,
//	                           used=N (by that many visitors), spec=S
//	waiting N
//	failure DURATION           the last start failed, and the next one waits that long
//	closed
//	wait DURATION
//	plan
func TestPlans(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.plan")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".plan"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { replay(t, path) })
		})
	}
}

func replay(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := script{t: t}
	var out strings.Builder
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, ">") {
			continue
		}
		out.WriteString(line)
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			for _, said := range s.step(words) {
				fmt.Fprintf(&out, "> %s\n", said)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); !*update && got != string(raw) {
		t.Errorf("the plans are others now; run with -update and read the difference. Now:\n%s", got)
	}
}
