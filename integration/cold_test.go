package integration

import (
	"net/http"
	"sync"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestColdGet(t *testing.T) { onEachReach(t, coldGet) }

// P2, P6: however many come at once, one container is made, and another app does not notice.
func coldGet(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}}
  other: {route: {host: other.test}}`})
	v := f.visitor(t)
	v.get(t, "other", "/id")
	before := f.row(t, "other")

	crowd := f.crowd(t, 200)
	replica := f.row(t, "hello").ID
	for _, reply := range crowd {
		if got := served(t)(reply.answer, reply.err); got != replica {
			t.Fatalf("served by %q, want %s", got, replica)
		}
	}
	f.only(t, "hello")
	if n := f.count(t, "hello", journal.ReplicaStarted); n != 1 {
		t.Errorf("%d replicas were started, want 1", n)
	}
	after := f.row(t, "other")
	if after.Container != before.Container || after.Started != before.Started || after.State != "ready" {
		t.Errorf("the other app's replica was %+v, now %+v", before, after)
	}
	f.only(t, "other")
}

type reply struct {
	answer answer
	err    error
}

// crowd sends GETs for hello's id side by side, each on a connection of its own.
func (f *fairlead) crowd(t *testing.T, n int) []reply {
	v := f.visitor(t)
	replies := make([]reply, n)
	var coming sync.WaitGroup
	for i := range replies {
		coming.Go(func() {
			replies[i].answer, replies[i].err = v.send(http.MethodGet, "hello", "/id", nil)
		})
	}
	coming.Wait()
	return replies
}
