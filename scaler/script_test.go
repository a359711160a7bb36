package scaler

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// script builds a View from words.
type script struct {
	t       *testing.T
	app     *pool.App
	hosts   []HostView
	waiting int
}

func (s *script) step(words []string) []string {
	switch words[0] {
	case "policy":
		*s = script{t: s.t, app: pool.NewApp("app", policyOf(s.t, options(words[1:])))}
	case "host":
		s.hosts = append(s.hosts, hostOf(s.t, words[1], options(words[2:])))
	case "row":
		s.row(words[1], words[2], options(words[3:]))
	case "waiting":
		s.waiting = number(s.t, words[1])
	case "failure":
		s.app.SetFailure(&pool.Failure{Reason: "crashed", Until: time.Now().Add(duration(s.t, words[1])), Tries: 1})
	case "closed":
		s.app.Close()
	case "wait":
		time.Sleep(duration(s.t, words[1]))
	case "plan":
		return s.plan()
	default:
		s.t.Fatalf("no such line: %v", words)
	}
	return nil
}

func (s *script) plan() (said []string) {
	hosts := s.hosts
	if hosts == nil {
		hosts = []HostView{{Name: "h1", Accounted: true, Answers: true}}
	}
	for _, a := range Plan(View{Snap: s.app.Snapshot(), Waiting: s.waiting, Hosts: hosts}, time.Now()) {
		said = append(said, say(a))
	}
	if said == nil {
		return []string{"nothing"}
	}
	return said
}

func say(a Action) string {
	words := []string{a.Verb.String()}
	for _, w := range []string{a.Replica, a.Host} {
		if w != "" {
			words = append(words, w)
		}
	}
	if a.Surge {
		words = append(words, "surge")
	}
	if a.New != "" {
		words = append(words, "by "+a.New)
	}
	if a.Verb == Drain || a.Verb == Swap && a.Replica != "" {
		words = append(words, "then "+a.Then.String())
	}
	if a.Cause != "" {
		words = append(words, "("+a.Cause+")")
	}
	return strings.Join(words, " ")
}

func (s *script) row(id, state string, o map[string]string) {
	start := "s-" + id
	_, ok := s.app.Insist(id, func(r *pool.Row) {
		r.Container, r.Host, r.Spec = "c-"+id, "h1", o["spec"]
		_, r.Volumes = o["data"]
		if state != "starting" {
			r.BecomeReady(pool.NewUpstream(r.Container, start, nil))
		}
	})
	if !ok {
		s.t.Fatalf("row %s is there already", id)
	}
	if visitors, used := o["used"]; used {
		s.occupy(id, start, number(s.t, visitors))
	}
	s.app.Settle(id, 0, func(r *pool.Row) bool {
		enter(s.t, r, state)
		_, r.Acting = o["acting"]
		_, r.Doubt = o["doubt"]
		_, r.Surge = o["surge"]
		_, r.Replace = o["replace"]
		return true
	})
}

// occupy lets visitors in whose cookie names the row.
func (s *script) occupy(id, start string, visitors int) {
	for range visitors {
		a := s.app.Admit(pool.Visitor{Session: pool.NewSessionID(), Replica: id, Start: start})
		if a.Outcome != pool.Served || a.Lease.Replica.ID != id {
			s.t.Fatalf("visitor of %s: %s", id, a.Outcome)
		}
	}
}

func enter(t *testing.T, r *pool.Row, state string) {
	switch state {
	case "starting", "ready":
	case "suspect":
		r.Suspected("transport failure")
	case "unwell":
		r.Suspected(pool.SuspectHealth)
	case "restarting":
		r.Restarts()
	case "draining":
		r.Drains(pool.SleepRemove, journal.CauseIdle)
	case "asleep":
		r.Sleeps()
	default:
		t.Fatalf("no such state: %s", state)
	}
}

func policyOf(t *testing.T, o map[string]string) pool.Policy {
	p := pool.Policy{Max: 1, Idle: 10 * time.Minute, Drain: 30 * time.Second, Port: 80, Ports: []int{80}}
	for key, value := range o {
		switch key {
		case "min":
			p.Min = number(t, value)
		case "max":
			p.Max = number(t, value)
		case "seats":
			p.Seats = number(t, value)
		case "idle":
			p.Idle = duration(t, value)
		case "drain":
			p.Drain = duration(t, value)
		case "sleep":
			p.Sleep = map[string]pool.SleepMode{"remove": pool.SleepRemove, "stop": pool.SleepStop, "pause": pool.SleepPause}[value]
		case "keep":
			p.KeepData = true
		case "order":
			p.Order = map[string]pool.UpdateOrder{"start-first": pool.StartFirst, "stop-first": pool.StopFirst}[value]
		case "spec":
			p.Spec = value
		case "hosts":
			p.Hosts = strings.Split(value, ",")
		default:
			t.Fatalf("no such policy: %s", key)
		}
	}
	return p
}

func hostOf(t *testing.T, name string, o map[string]string) HostView {
	h := HostView{Name: name, Accounted: true, Answers: true}
	for key, value := range o {
		switch key {
		case "down":
			h.Answers = false
		case "new":
			h.Accounted, h.Answers = false, false
		case "weight":
			h.Weight = number(t, value)
		case "rows":
			h.Rows = number(t, value)
		case "max":
			h.Max = number(t, value)
		default:
			t.Fatalf("no such property of a host: %s", key)
		}
	}
	return h
}

func options(words []string) map[string]string {
	o := map[string]string{}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		o[name] = value
	}
	return o
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func duration(t *testing.T, s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
