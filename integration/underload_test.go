package integration

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

func TestUnderLoad(t *testing.T) { onEachReach(t, underLoad) }

// Whatever is done to the containers of an app from outside while visitors come: no GET fails, no POST reaches the app
// twice, nobody is answered by another app, what is untouched notices nothing, and in the end exactly the right
// containers are there. Meanwhile one more app crashes whenever it is started (case B019).
func underLoad(t *testing.T, reach string) {
	dir := newPosts(t)
	f := launch(t, setup{Reach: reach, Apps: dir.app("hello", "") + dir.app("slow", ", DEMO_BOOT: 3s") + dir.app("other", "") +
		dir.app("loop", `, DEMO_CRASH: "1"`) + `
  pair:
    route: {host: pair.test}
    replicas: {min: 2, max: 2}
    restart_grace: 3s
    hold: {queue: 10000}
    volumes: ["` + string(dir) + `:/posts"]
    env: {DEMO_NAME: pair, DEMO_POSTS: /posts/pair}`})
	other := f.awaitReplicas(t, "other", 1)[0]
	for _, harm := range []struct {
		name string
		app  string
		do   func(row admin.Replica)
		same bool // the container outlives it
	}{
		{"rm -f", "hello", func(row admin.Replica) { f.outside.remove(row.Container) }, false},
		{"restart", "hello", func(row admin.Replica) { f.outside.restart(row.Container) }, true},
		{"restart with a slow boot", "slow", func(row admin.Replica) { f.outside.restart(row.Container) }, true},
		{"kill", "hello", func(row admin.Replica) { f.outside.kill(row.Container) }, true},
		{"stop", "hello", func(row admin.Replica) { f.outside.stop(row.Container) }, true},
		{"recreate", "hello", func(row admin.Replica) { f.outside.recreate(row.Container) }, false},
	} {
		before := f.awaitReplicas(t, harm.app, 1)[0]
		l := f.load(t, dir, harm.app)
		harm.do(before)
		l.closed(t, harm.name)
		f.awaitRenewed(t, harm.app, before)
		l.end(t, harm.name)
		f.right(t, harm.name, before, harm.same)
	}
	f.paused(t, dir)
	f.disconnected(t, dir)
	f.expired(t, dir)
	f.untouched(t, other)
}

// right expects one container, the one that was there before or another, and that the pool has it.
func (f *fairlead) right(t *testing.T, harm string, before admin.Replica, same bool) {
	t.Helper()
	eventually(t, "one container of "+before.App+" after "+harm, func() string {
		found := ids(f.containers(t, before.App))
		if len(found) == 1 && len(f.rows(t, before.App)) == 1 {
			return ""
		}
		return f.describe(t, before.App)
	})
	now := f.row(t, before.App)
	if id := f.only(t, before.App).ID; id != now.Container || (id == before.Container) != same {
		t.Errorf("%s: the container was %.12s, now %.12s, and the pool has %.12s", harm, before.Container, id, now.Container)
	}
}

func (f *fairlead) untouched(t *testing.T, before admin.Replica) {
	t.Helper()
	if now := f.row(t, before.App); now.Container != before.Container || now.Started != before.Started {
		t.Errorf("%s, which nobody touched, was %+v, now %+v", before.App, before, now)
	}
}

// paused: whoever comes is held, and open WebSockets go on as if nothing had been.
func (f *fairlead) paused(t *testing.T, dir posts) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 1)[0]
	l := f.load(t, dir, "hello")
	if err := f.outside.pause(before.Container); err != nil {
		f.refuses(t, "pause", err)
	} else {
		f.awaitSuspect(t, "hello", true)
		time.Sleep(500 * time.Millisecond) // of visitors who are held
		f.outside.check("unpause", f.outside.unpause(before.Container))
	}
	l.alive(t)
	l.end(t, "pause")
	f.untouched(t, before)
}

// disconnected: whoever comes is held until the container is on its network again, at whatever address.
func (f *fairlead) disconnected(t *testing.T, dir posts) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 1)[0]
	l := f.load(t, dir, "hello")
	if network, err := f.outside.disconnect(before.Container); err != nil {
		f.refuses(t, "network disconnect", err)
		l.alive(t)
	} else {
		f.awaitSuspect(t, "hello", true)
		f.outside.check("connect", f.outside.connect(before.Container, network))
	}
	l.end(t, "network disconnect")
	f.awaitSuspect(t, "hello", false)
	f.untouched(t, before)
}

// expired: of two replicas one is stopped and nobody needs it again, since the other serves. Past its window it goes, and
// no visitor has noticed anything.
func (f *fairlead) expired(t *testing.T, dir posts) {
	t.Helper()
	f.awaitReplicas(t, "pair", 2)
	since := f.now(t)
	f.rescale(t, 2, 1)
	f.await(t, since, "", journal.ConfigApplied)
	before := f.awaitReplicas(t, "pair", 2)[0] // none is idle: both stay
	l := f.load(t, dir, "pair")
	since = f.now(t)
	f.outside.stop(before.Container)
	if event := f.await(t, since, "pair", journal.RestartTimedOut); event.Container != before.Container {
		t.Errorf("timed out: %+v, want that of %.12s", event, before.Container)
	}
	f.await(t, since, "pair", journal.ReplicaReaped)
	l.end(t, "stop past the window")
	f.never(t, since, "pair", journal.ReplicaStarted, journal.ReplicaReadopted)
	if now := f.awaitReplicas(t, "pair", 1)[0]; f.only(t, "pair").ID != now.Container || now.Container == before.Container {
		t.Errorf("left is %+v", now)
	}
}

// rescale changes the min of an app called pair in the configuration.
func (f *fairlead) rescale(t *testing.T, from, to int) {
	t.Helper()
	text, err := os.ReadFile(f.file())
	if err != nil {
		t.Fatal(err)
	}
	of := func(n int) string { return fmt.Sprintf("{min: %d, max: 2}", n) }
	f.rewrite(t, strings.Replace(string(text), of(from), of(to), 1))
}

// refusals are a rootless Podman's own words for what it cannot do on cgroup v1, and without a network of its own.
var refusals = map[string]string{
	"pause":              "can not pause containers on rootless containers with cgroup V1",
	"network disconnect": "invalid network mode",
}

// refuses expects that it was this engine's to refuse, and that it says clearly why.
func (f *fairlead) refuses(t *testing.T, what string, err error) {
	t.Helper()
	if kind != rootless || !strings.Contains(err.Error(), refusals[what]) {
		t.Errorf("%s from outside: %v", what, err)
	}
	t.Logf("%s refuses %s: %v", kind, what, err)
}

func (f *fairlead) awaitSuspect(t *testing.T, app string, suspect bool) {
	t.Helper()
	eventually(t, "suspect of "+app, func() string {
		if now := f.row(t, app); now.Suspect != suspect || now.State != "ready" {
			return f.describe(t, app)
		}
		return ""
	})
}
