package integration

import (
	"net/http"
	"testing"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

func TestSticky(t *testing.T) { onEachReach(t, sticky) }

// A visitor's hundred requests, of both kinds, all meet the replica that his first one met.
func sticky(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, sticky: true, replicas: {min: 3, max: 3}}`})
	f.awaitReplicas(t, "hello", 3)
	f.awaitHost(t, "local", admin.HostOK) // those of a host that is silent are preferred less
	used := map[string]int{}
	for range 6 {
		v := f.visitor(t)
		mine := v.navigate(t, "hello", "/id")
		used[mine]++
		for i := range 100 {
			got := ""
			if i%2 == 0 {
				got = v.navigate(t, "hello", "/id")
			} else {
				got = v.get(t, "hello", "/id")
			}
			if got != mine {
				t.Fatalf("request %d met %s, want %s", i, got, mine)
			}
		}
	}
	if len(used) != 3 {
		t.Errorf("six visitors used %v, want all three replicas", used)
	}
	if n := f.app(t, "hello").Sessions; n != 6 {
		t.Errorf("%d sessions, want 6", n)
	}
}

func TestInUse(t *testing.T) { onEachReach(t, inUse) }

// A WebSocket and a slow download keep an app awake long past its idle time; without them it sleeps.
func inUse(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  talk: {route: {host: talk.test}, idle: 1s}
  load: {route: {host: load.test}, idle: 1s}`})
	v := f.visitor(t)
	socket := v.socket(t, "talk")
	download := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "load", "/slow?bytes=10485760&for=4s", nil)
		return reply{got, err}
	})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var got reply
	for under := true; under; {
		select {
		case got = <-download:
			under = false
		case <-tick.C:
			socket.echo(t, "still there?")
		}
	}
	if body := served(t)(got.answer, got.err); len(body) != 10<<20 {
		t.Errorf("the download has %d bytes", len(body))
	}
	socket.echo(t, "and now?")
	f.never(t, 0, "talk", journal.ReplicaStopped)
	f.only(t, "talk")
	socket.Close()
	f.awaitEnded(t, "talk")
	f.awaitEnded(t, "load")
}
