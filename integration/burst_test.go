package integration

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// inFlight is how many requests a replica has when it goes.
const inFlight = 200

// TestBurst runs alone, since it counts calls. Passes are far apart: what is asked is asked because of what happened.
func TestBurst(t *testing.T) {
	for _, reach := range reaches() {
		t.Run(reach, func(t *testing.T) { burst(t, reach) })
	}
}

// Three replicas are removed, or restarted, at once, each with many requests under way: the engine is asked about each
// hardly more often than if one request had failed. Every request is answered.
func burst(t *testing.T, reach string) {
	w := newWire(t, host)
	f := launch(t, setup{Reach: reach, URL: w.url(), Reconcile: "10m", Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 3, max: 3}, hold: {queue: 10000}}`})
	for _, harm := range []struct {
		name string
		do   func(id string)
	}{{"rm -f", f.outside.remove}, {"restart", f.outside.restart}} {
		few := f.burst(t, w, 3, harm.do)
		many := f.burst(t, w, 3*inFlight, harm.do)
		t.Logf("%s, %s, %s of three at once: %d inspects of them with 3 requests under way, %d with %d",
			kind, reach, harm.name, few, many, 3*inFlight)
		// A burst of failures shares a look; how many bursts there are, the engine and the machine say. Each of 600
		// requests for itself would ask for 600 looks.
		if most := few + 3*inFlight/10; many > most {
			t.Errorf("%s: %d inspects with many requests under way, %d with few", harm.name, many, few)
		}
	}
}

// burst does harm to all replicas at once and returns how often the engine was asked about those containers until the
// last request was answered.
func (f *fairlead) burst(t *testing.T, w *wire, requests int, harm func(id string)) (inspects int) {
	t.Helper()
	before := f.awaitReplicas(t, "hello", 3)
	v := f.visitor(t)
	v.http.Transport.(*http.Transport).MaxIdleConnsPerHost = requests
	var open sync.WaitGroup
	for range requests {
		open.Go(func() {
			got, err := v.send(http.MethodGet, "hello", "/count?wait=3s", nil)
			// Who was sent from one replica that goes to another that goes has used up his two attempts (P4).
			lost := got.status == http.StatusBadGateway && got.header.Get("Fairlead-Reason") == "lost"
			if err != nil || got.status != http.StatusOK && !lost {
				t.Errorf("%d %s, %v", got.status, got.header.Get("Fairlead-Reason"), err)
			}
		})
	}
	eventually(t, "requests under way", func() string {
		leases := 0
		for _, row := range f.rows(t, "hello") {
			leases += row.Leases
		}
		if leases == requests {
			return ""
		}
		return fmt.Sprintf("%d", leases)
	})
	from := len(w.lines())
	var harms sync.WaitGroup
	for _, row := range before {
		harms.Go(func() { harm(row.Container) })
	}
	harms.Wait()
	open.Wait()
	f.awaitReplicas(t, "hello", 3)
	for _, line := range w.lines()[from:] {
		for _, row := range before {
			if strings.HasPrefix(line, "GET ") && strings.Contains(line, "/containers/"+row.Container+"/json") {
				inspects++
			}
		}
	}
	return inspects
}

// lines are the calls so far.
func (w *wire) lines() (lines []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		lines = append(lines, c.line)
	}
	return lines
}
