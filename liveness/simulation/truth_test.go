package simulation

import (
	"sync"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// truth is what the worlds do not remember: who started what, and what Fairlead was told.
type truth struct {
	mu        *sync.Mutex
	apps      map[string]string   // by container: its app, of those that are ours
	strangers map[string]stranger // by container
	foreign   map[run]bool        // runs that others started
	over      map[run]time.Time   // runs of which an undisturbed look said that they are over, and when
	ready     map[run]int         // how often a run was readopted in this generation
	blamed    map[string]bool     // containers against which a connection spoke
	inFlight  map[string]int      // creates and starts by app
	slack     map[string]int      // by app: what kills left behind that nobody can know of at once
	replaced  map[string]bool     // apps whose replicas an operator had replaced
	looking   map[string]int      // looks in flight by container
	began     map[string]int      // looks that ever began, by container
}

// run is one start of a container.
type run struct{ container, start string }

type stranger struct {
	host   int
	status runtime.Status
}

func newTruth() truth {
	return truth{mu: &sync.Mutex{}, apps: map[string]string{}, strangers: map[string]stranger{}, foreign: map[run]bool{},
		over: map[run]time.Time{}, ready: map[run]int{}, blamed: map[string]bool{}, inFlight: map[string]int{}, slack: map[string]int{},
		replaced: map[string]bool{}, looking: map[string]int{}, began: map[string]int{}}
}

// begin counts an operation that makes something run, until the returned function is called.
func (t *truth) begin(app string) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight[app]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.inFlight[app]--
	}
}

func (t *truth) isStranger(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, yes := t.strangers[id]
	return yes
}

func (t *truth) appOf(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.apps[id]
}

func (t *truth) slackOf(app string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.slack[app]
}

// aLook is one container in a look.
type aLook struct {
	runtime.Query
	alone bool // no other look at the container was under way when it began
	began int
}

func (t *truth) look(queries []runtime.Query) (looks []aLook) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range queries {
		t.began[q.Container]++
		looks = append(looks, aLook{q, t.looking[q.Container] == 0, t.began[q.Container]})
		t.looking[q.Container]++
	}
	return looks
}

// looked notes which runs are over by an answer that nothing else contradicts: from here on Fairlead knows (P5).
func (t *truth) looked(looks []aLook, report runtime.Report, heard func(runtime.Query) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range looks {
		t.looking[l.Container]--
	}
	for _, o := range report.Observations {
		for _, l := range looks {
			if l.Container == o.Query.Container && l.alone && t.began[l.Container] == l.began && l.Start != "" && ends(o) && heard(l.Query) {
				r := run{l.Container, l.Start}
				if t.over[r].IsZero() {
					t.over[r] = time.Now()
				}
			}
		}
	}
}

func ends(o runtime.Observation) bool {
	switch o.Verdict {
	case runtime.Stopped, runtime.Missing:
		return true
	case runtime.Running, runtime.Paused:
		return o.Container.Start != o.Query.Start
	default:
		return false
	}
}

// told says whether Fairlead knew before this instant that the run is over.
func (t *truth) told(r run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.over[r]
	return known && at.Before(time.Now())
}

func (t *truth) startedByOthers(id, start string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.foreign[run{id, start}] = true
}

func (t *truth) isForeign(c runtime.Container) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.foreign[run{c.ID, c.Start}]
}

func (t *truth) blame(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blamed[id] = true
}
