package integration

import (
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"
)

const coldStarts = 5

// TestFigures prints and asserts nothing: times on a shared machine are no test. It runs alone, before those that run
// side by side.
func TestFigures(t *testing.T) {
	for _, reach := range reaches() {
		w := newWire(t, host)
		f := launch(t, setup{Reach: reach, URL: w.url(), Apps: `
  hello: {route: {host: hello.test}}
  second: {route: {host: second.test}, replicas: {min: 1}}
  third: {route: {host: third.test}, replicas: {min: 1}}`})
		f.awaitReplicas(t, "second", 1)
		f.awaitReplicas(t, "third", 1)
		var before, after, shares, totals []time.Duration
		for range coldStarts {
			toCreate, toByte, total := f.coldStart(t, w)
			before, after = append(before, toCreate), append(after, toByte)
			shares, totals = append(shares, toCreate+toByte), append(totals, total)
			f.fallAsleep(t)
		}
		f.visitor(t).get(t, "hello", "/id")
		resident, err := f.process.resident()
		t.Logf("figures, %s, %s: cold start %s, of which Fairlead's share %s (medians of %d; to the create %s, to the first byte %s); "+
			"start to listening %s; resident with 3 apps %.1f MiB %v", kind, reach, median(totals), median(shares), coldStarts,
			before, after, f.process.listening.Sub(f.process.began).Round(time.Millisecond), float64(resident)/1024, err)
		f.process.kill()
	}
}

// coldStart is how long a visitor waited, and how long for Fairlead alone: from his request to the create, and from when
// the container was started and listened to his first byte.
func (f *fairlead) coldStart(t *testing.T, w *wire) (toCreate, toByte, total time.Duration) {
	t.Helper()
	var asked, first time.Time
	trace := &httptrace.ClientTrace{
		WroteRequest:         func(httptrace.WroteRequestInfo) { asked = time.Now() },
		GotFirstResponseByte: func() { first = time.Now() },
	}
	request, err := http.NewRequest(http.MethodGet, "http://hello.test/listening", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := f.visitor(t)
	response, err := v.http.Do(request.WithContext(httptrace.WithClientTrace(t.Context(), trace)))
	if err != nil {
		t.Fatal(err)
	}
	up := listening(t, served(t)(read(response)))
	if started := w.last("/start").answered; started.After(up) {
		up = started
	}
	return w.last("/containers/create").sent.Sub(asked), first.Sub(up), first.Sub(asked)
}

// last is the newest POST to a path that has this in it.
func (w *wire) last(path string) call {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range slices.Backward(w.calls) {
		if strings.HasPrefix(c.line, "POST ") && strings.Contains(c.line, path) {
			return *c
		}
	}
	return call{}
}

func (f *fairlead) fallAsleep(t *testing.T) {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	if _, err := f.admin.Sleep(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	f.awaitEnded(t, "hello")
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2].Round(time.Millisecond)
}
