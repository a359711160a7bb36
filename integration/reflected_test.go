package integration

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
)

// within is how soon the status shows what was done to a container while nobody comes: not how soon it should, for that is
// printed, but long before a pass would find it.
const within = 20 * time.Second

// TestReflected runs alone, since it prints times. Passes are far apart: only events tell.
func TestReflected(t *testing.T) {
	for _, reach := range reaches() {
		t.Run(reach, func(t *testing.T) { reflected(t, reach) })
	}
}

// Without any traffic, too, the status shows soon after the engine's answer what was done, and then what is right again
// (case B208).
func reflected(t *testing.T, reach string) {
	w := newWire(t, host)
	f := launch(t, setup{Reach: reach, URL: w.url(), Reconcile: "1m", Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1, max: 1}}
  slow: {route: {host: slow.test}, replicas: {min: 1, max: 1}, env: {DEMO_BOOT: 3s}}
  rare: {route: {host: rare.test}, restart_grace: 2s}`})
	f.visitor(t).get(t, "rare", "/id")
	for _, harm := range []struct {
		name, app string
		do        func(id string)
		same      bool
	}{
		{"rm -f", "hello", f.outside.remove, false},
		{"restart", "hello", f.outside.restart, true},
		{"restart with a slow boot", "slow", f.outside.restart, true},
		{"kill", "hello", f.outside.kill, true},
		{"stop", "hello", f.outside.stop, true},
		{"recreate", "hello", func(id string) { f.outside.recreate(id) }, false},
	} {
		before := f.awaitReplicas(t, harm.app, 1)[0]
		harm.do(before.Container)
		f.shows(t, harm.name, func() bool { return !serves(f.rows(t, harm.app), before) })
		f.awaitRenewed(t, harm.app, before)
		f.right(t, harm.name, before, harm.same)
	}
	f.reflectsPause(t)
	f.reflectsNetwork(t)
	f.reflectsWindow(t)
	f.reflectsCut(t, w)
}

// shows prints how long it took.
func (f *fairlead) shows(t *testing.T, what string, holds func() bool) {
	t.Helper()
	began := time.Now()
	for ; !holds(); time.Sleep(time.Millisecond) {
		if time.Since(began) > within {
			t.Fatalf("%s: not shown after %s", what, within)
		}
	}
	t.Logf("%s: shown %s after the engine's answer", what, time.Since(began).Round(time.Millisecond))
}

// serves says whether the start that was there before still counts as ready.
func serves(rows []admin.Replica, before admin.Replica) bool {
	for _, row := range rows {
		if row.Container == before.Container && row.Started == before.Started {
			return row.State == "ready" && !row.Suspect
		}
	}
	return false
}

func (f *fairlead) reflectsPause(t *testing.T) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 1)[0]
	if err := f.outside.pause(before.Container); err != nil {
		f.refuses(t, "pause", err)
		return
	}
	f.shows(t, "pause", func() bool { return f.row(t, "hello").Suspect })
	f.outside.check("unpause", f.outside.unpause(before.Container))
	f.shows(t, "unpause", func() bool { return !f.row(t, "hello").Suspect })
	f.untouched(t, before)
}

func (f *fairlead) reflectsNetwork(t *testing.T) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 1)[0]
	network, err := f.outside.disconnect(before.Container)
	if err != nil {
		f.refuses(t, "network disconnect", err)
		return
	}
	f.shows(t, "network disconnect", func() bool { return f.row(t, "hello").Suspect })
	f.outside.check("connect", f.outside.connect(before.Container, network))
	f.shows(t, "network connect", func() bool { return !f.row(t, "hello").Suspect })
	f.untouched(t, before)
}

// reflectsWindow: nobody wants it, and the window ends.
func (f *fairlead) reflectsWindow(t *testing.T) {
	t.Helper()
	row := f.row(t, "rare")
	f.outside.stop(row.Container)
	f.shows(t, "stop of what nobody wants", func() bool { return f.row(t, "rare").State == "restarting" })
	f.awaitGone(t, "rare")
}

// reflectsCut: what happened while the way to the engine was cut shows as soon as it is whole.
func (f *fairlead) reflectsCut(t *testing.T, w *wire) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 1)[0]
	w.set(t, cut)
	f.shows(t, "the cut", func() bool { return f.host(t, "local").State == admin.HostUnknown })
	f.outside.remove(before.Container)
	w.set(t, whole)
	f.shows(t, "rm -f during the cut", func() bool { return !serves(f.rows(t, "hello"), before) })
	f.awaitRenewed(t, "hello", before)
	f.right(t, "rm -f during the cut", before, false)
}
