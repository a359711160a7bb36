package integration

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/runtime"
)

const kills = 20

// P2, P3: kill -9 at any moment, while replicas start, sleep and vanish, loses no container and duplicates none. What
// nobody touched is adopted each time, and the state is whole (case B175).
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  kept: {route: {host: kept.test}, replicas: {min: 2, max: 2}}
  busy: {route: {host: busy.test}, replicas: {min: 1, max: 2}, env: {DEMO_BOOT: 200ms}}
  brief: {route: {host: brief.test}, replicas: {min: 0, max: 1}, idle: 100ms}`})
	f.awaitReplicas(t, "kept", 2)
	f.awaitReplicas(t, "busy", 1)
	kept := ids(f.containers(t, "kept"))
	for n := range kills {
		f.disturb(t, n)
		time.Sleep(rand.N(600 * time.Millisecond))
		f.process.kill()
		f.start(t)
		f.atMost(t, "kept", 2)
		f.atMost(t, "busy", 2)
		f.atMost(t, "brief", 1)
		f.awaitReplicas(t, "kept", 2)
		if now := ids(f.containers(t, "kept")); !slices.Equal(now, kept) {
			t.Fatalf("after %d kills the untouched app has %v, it had %v", n+1, now, kept)
		}
		f.never(t, 0, "kept", journal.ReplicaStarted, journal.ReplicaReaped, journal.SurplusRemoved, journal.RestartDetected)
	}
	f.awaitReplicas(t, "busy", 1)
	for _, app := range []string{"kept", "busy", "brief"} {
		f.inPool(t, app)
	}
}

// disturb makes that there is something under way.
func (f *fairlead) disturb(t *testing.T, n int) {
	t.Helper()
	v := f.visitor(t)
	go func() { _, _ = v.send(http.MethodGet, "brief", "/id", nil) }()
	go func() { _, _ = v.send(http.MethodGet, "busy", "/id", nil) }()
	if all := f.containers(t, "busy"); len(all) > 0 && n%3 == 0 {
		go f.outside.drop(all[0].ID)
	}
}

// atMost looks at what runs: what is being removed may still be listed.
func (f *fairlead) atMost(t *testing.T, app string, n int) {
	t.Helper()
	running := 0
	for _, c := range f.containers(t, app) {
		if string(c.State) == "running" {
			running++
		}
	}
	if running > n {
		t.Errorf("%d containers of %s run, at most %d may", running, app, n)
	}
}

// inPool waits until the pool has exactly the containers that are there, each once.
func (f *fairlead) inPool(t *testing.T, app string) {
	t.Helper()
	eventually(t, "containers and rows of "+app, func() string {
		var rows []string
		for _, row := range f.rows(t, app) {
			if row.State != "ready" {
				return row.ID + " is " + row.State
			}
			rows = append(rows, row.Container)
		}
		slices.Sort(rows)
		there, err := f.outside.with(map[string]string{runtime.LabelInstance: f.instance, runtime.LabelApp: app})
		if err != nil || !slices.Equal(ids(there), rows) {
			return fmt.Sprintf("containers %v, rows %v, %v", ids(there), rows, err)
		}
		return ""
	})
}
