package integration

import (
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

func TestCutUnderLoad(t *testing.T) { onEachReach(t, cutUnderLoad) }

// The way to the engine is cut while visitors come: they notice nothing (P8). One whose container vanishes meanwhile is
// held until the engine can be asked.
func cutUnderLoad(t *testing.T, reach string) {
	dir, w := newPosts(t), newWire(t, host)
	f := launch(t, setup{Reach: reach, URL: w.url(), Apps: dir.app("hello", "") + dir.app("other", "")})
	other := f.awaitReplicas(t, "other", 1)[0]
	before := f.awaitReplicas(t, "hello", 1)[0]
	l := f.load(t, dir, "hello")
	w.set(t, cut)
	f.awaitHost(t, "local", admin.HostUnknown)
	l.alive(t)
	l.flows(t)
	w.set(t, whole)
	f.awaitHost(t, "local", admin.HostOK)
	f.untouched(t, before)
	w.set(t, cut)
	f.outside.remove(before.Container)
	l.closed(t, "rm -f during the cut")
	time.Sleep(500 * time.Millisecond) // of visitors who are held
	if now := f.row(t, "hello"); now.Container != before.Container {
		t.Errorf("the row is %+v before anybody could ask", now)
	}
	w.set(t, whole)
	f.awaitRenewed(t, "hello", before)
	l.end(t, "cut")
	f.right(t, "cut", before, false)
	f.untouched(t, other)
}

func TestEngineRestart(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{true, false} {
		name := map[bool]string{true: "live-restore", false: "without"}[keeps]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engineRestart(t, keeps)
		})
	}
}

// A Docker is stopped and started in good order while visitors come. With live-restore its containers go on, and nobody
// notices. Without, they end with it: who comes is held until the same container runs again, and the other engine's
// visitors notice nothing.
func engineRestart(t *testing.T, keeps bool) {
	var options []string
	if !keeps {
		options = append(options, "--live-restore=false")
	}
	s, dir := newSecond(t, docker, options...), newPosts(t)
	f := launch(t, setup{Hosts: `  far: {url: "` + s.url + `"}`, Apps: dir.app("hello", "") + "\n    hosts: far" +
		dir.app("other", "") + "\n    hosts: local"})
	other := f.awaitReplicas(t, "other", 1)[0]
	before := f.awaitReplicas(t, "hello", 1)[0]
	since := f.now(t)
	l := f.load(t, dir, "hello")
	s.stop(t, syscall.SIGTERM)
	f.awaitHost(t, "far", admin.HostUnknown)
	s.start(t)
	f.awaitHost(t, "far", admin.HostOK)
	if keeps {
		l.alive(t)
		l.end(t, "engine restart with live-restore")
		f.untouched(t, before)
	} else {
		l.closed(t, "engine restart")
		f.awaitRenewed(t, "hello", before)
		l.end(t, "engine restart")
	}
	f.never(t, since, "", journal.ReplicaStarted, journal.ReplicaReaped)
	if now := f.row(t, "hello"); now.Container != before.Container {
		t.Errorf("the row was %+v, now %+v", before, now)
	}
	if left, err := newOutside(t, s.url).with(nil); err != nil || len(left) != 1 || left[0].ID != before.Container {
		t.Errorf("the engine has %v, %v, want %s", ids(left), err, before.Container)
	}
	f.untouched(t, other)
}
