package integration

import (
	"syscall"
	"testing"
	"time"
)

const deaths = 5

// TestFiguresOfDeath prints how long after a SIGKILL a replica is out of the pick: with connections in the pool, which end
// with it, and without, when an engine's event is the first that is known. It asserts nothing and runs alone.
func TestFiguresOfDeath(t *testing.T) {
	for _, reach := range reaches() {
		f := launch(t, setup{Reach: reach, Reconcile: "10s", Apps: `
  pooled: {route: {host: pooled.test}, replicas: {min: 1}}
  quiet: {route: {host: quiet.test}, replicas: {min: 1}}`})
		v := f.visitor(t)
		for _, app := range []string{"pooled", "quiet"} {
			var all []time.Duration
			for range deaths {
				f.awaitReplicas(t, app, 1)
				if app == "pooled" {
					v.get(t, app, "/id")
				}
				all = append(all, f.deathToSuspect(t, app))
			}
			t.Logf("figures, %s, %s, %s: death to suspect %s (median of %d; %s)", kind, reach, app, median(all), len(all), all)
		}
		f.process.kill()
	}
}

// deathToSuspect asks every half a millisecond.
func (f *fairlead) deathToSuspect(t *testing.T, app string) (took time.Duration) {
	t.Helper()
	old := f.row(t, app)
	pid := f.outside.inspect(old.Container).State.Pid
	time.Sleep(100 * time.Millisecond) // what the last start left behind has settled
	killed := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for took == 0 {
		if rows := f.rows(t, app); len(rows) == 0 || rows[0].Suspect || rows[0].State != "ready" {
			took = time.Since(killed).Round(100 * time.Microsecond)
		}
		time.Sleep(500 * time.Microsecond)
	}
	f.outside.remove(old.Container)
	f.awaitRenewed(t, app, old)
	return took
}
