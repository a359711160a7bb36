package liveness

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

var update = flag.Bool("update", false, "write the golden timelines anew")

// A timeline is a file of steps, one a line, each followed by what came of it, after a ">". A step is one of
//
//	row STATE [start=S]          another row: starting (by the scaler), adopted, ready, suspect, restarting, draining, asleep
//	see VERDICT [start=S] [addr=A|none] [wanted] [accused]
//	wait DURATION
//	ready start=S                the readiness check passed
//	clear #N                     that probe of a suspect passed
//	done                         what was being done with the container has ended
func TestTimelines(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.timeline")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no timelines: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".timeline"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { replay(t, path) })
		})
	}
}

func replay(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := timeline{t: t}
	var out strings.Builder
	for step := range strings.Lines(string(raw)) {
		if strings.HasPrefix(step, ">") {
			continue
		}
		out.WriteString(step)
		if words := strings.Fields(step); len(words) > 0 && words[0] != "#" {
			if said := line.step(words); said != "" {
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
		t.Errorf("the timeline went otherwise; run with -update and read the difference. Now:\n%s", got)
	}
}

// timeline is one row under a series of observations. It claims as apply does.
type timeline struct {
	t      *testing.T
	row    pool.Row
	tokens uint64
}

func (l *timeline) step(words []string) string {
	options := optionsOf(words[min(2, len(words)):])
	switch words[0] {
	case "row":
		l.row, l.tokens = l.make(words[1], options), 0
		return describe(l.row)
	case "see":
		return l.see(words[1], options)
	case "wait":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			l.t.Fatal(err)
		}
		time.Sleep(d)
		return ""
	case "ready":
		l.row.BecomeReady(upstream(strings.TrimPrefix(words[1], "start="), "a1"))
	case "clear":
		if words[1] == fmt.Sprintf("#%d", l.row.Probing) {
			l.row.Cleared()
		}
	case "done":
		l.row.Acting = false
	default:
		l.t.Fatalf("no such step: %v", words)
	}
	return describe(l.row)
}

func (l *timeline) see(verdict string, options map[string]string) string {
	seen := Seen{Verdict: verdictOf(l.t, verdict), Start: l.row.Start(), Now: time.Now(),
		Policy: &pool.Policy{Max: 1, Port: 80, Ports: []int{80}, RestartGrace: 30 * time.Second}}
	if start, ok := options["start"]; ok {
		seen.Start = start
	}
	_, seen.Wanted = options["wanted"]
	_, seen.Accused = options["accused"]
	if addr := options["addr"]; seen.Verdict == runtime.Running && addr != "none" {
		seen.Endpoints = endpoints(addr)
	}
	row, act := Decide(l.row, seen)
	switch act {
	case Probe:
		l.tokens++
		row.Probing = l.tokens
	case StartAgain, Expire:
		row.Acting = true
	}
	l.row = row
	return describe(row) + " | " + act.String()
}

func (l *timeline) make(state string, options map[string]string) pool.Row {
	row, err := pool.NewApp("app", pool.Policy{Max: 1}).Reserve("r1", 0, func(r *pool.Row) { r.Container = "c1" })
	if err != nil {
		l.t.Fatal(err)
	}
	start := options["start"]
	if start == "" {
		start = "s1"
	}
	switch state {
	case "starting":
		row.Acting = true
	case "adopted":
	case "ready":
		row.BecomeReady(upstream(start, "a1"))
	case "suspect":
		row.BecomeReady(upstream(start, "a1"))
		row.Suspected("transport failure")
	case "restarting":
		row.Restarts()
	case "draining":
		row.BecomeReady(upstream(start, "a1"))
		row.Drains(pool.SleepRemove, "idle")
	case "asleep":
		row.Sleeps()
	default:
		l.t.Fatalf("no such state: %s", state)
	}
	return row
}

func describe(r pool.Row) string {
	words := []string{r.State().String()}
	add := func(holds bool, word string) {
		if holds {
			words = append(words, word)
		}
	}
	add(r.Start() != "", r.Start())
	if r.Upstream() != nil && r.Upstream().Endpoints[80] != endpoints("a1")[80] {
		words = append(words, "moved")
	}
	add(r.Suspect() != "", "suspect("+r.Suspect()+")")
	add(r.Probing != 0, fmt.Sprintf("probing#%d", r.Probing))
	add(r.Acting, "acting")
	add(r.Doubt, "doubt")
	add(r.Down != 0, "down="+r.Down.String())
	return strings.Join(words, " ")
}

func optionsOf(words []string) map[string]string {
	options := map[string]string{}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		options[name] = value
	}
	return options
}

func verdictOf(t *testing.T, word string) runtime.Verdict {
	for v := runtime.Unknown; v <= runtime.Missing; v++ {
		if v.String() == word {
			return v
		}
	}
	t.Fatalf("no such verdict: %s", word)
	return runtime.Unknown
}

func upstream(start, addr string) *pool.Upstream {
	return pool.NewUpstream("c1", start, endpoints(addr))
}

// endpoints of a1, a2, …; empty is a1.
func endpoints(addr string) map[int]pool.Endpoint {
	last := byte(1)
	if addr != "" {
		last = addr[1] - '0'
	}
	return map[int]pool.Endpoint{80: {Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 64, 0, last}), 80), Direct: true}}
}
