package integration

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// cases B179, B191: however often a configuration is applied, nothing is left of the earlier ones.
func TestManyReloads(t *testing.T) {
	t.Parallel()
	const hello = `
  hello: {route: {host: hello.test}}`
	few := setup{Apps: hello}
	many := setup{Listen: `, metrics: "127.0.0.1:0"`, Apps: hello + `
  extra: {route: [{host: extra.test}, {tcp: "127.0.0.1:0"}], rate_limit: {requests: 10}, compress: true}
  also: {route: [{host: also.test}, {udp: "127.0.0.1:0"}]}`}
	f := launch(t, few)
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	reload := func(times int) {
		for range times {
			for _, s := range []setup{many, few} {
				s.write(t, f)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				if err := f.admin.Reload(ctx); err != nil {
					t.Fatal(err)
				}
				cancel()
			}
		}
	}
	reload(10)
	// What ends with a configuration ends soon after it.
	var base, now footprint
	eventually(t, "a quiet process", func() string {
		last := base
		base = f.footprint(t)
		if base.goroutines == last.goroutines && base.descriptors == last.descriptors {
			return ""
		}
		return fmt.Sprintf("%+v", base)
	})
	reload(100)
	eventually(t, "nothing left", func() string {
		now = f.footprint(t)
		if now.goroutines <= base.goroutines+5 && now.descriptors <= base.descriptors+3 {
			return ""
		}
		return fmt.Sprintf("%+v after %+v", now, base)
	})
	t.Logf("%s: %+v, after 200 reloads %+v", kind, base, now)
	if now.resident > base.resident+20<<20 {
		t.Errorf("memory went from %d to %d MiB", base.resident>>20, now.resident>>20)
	}
	v.get(t, "hello", "/id")
}

// footprint is what a process holds.
type footprint struct{ goroutines, descriptors, resident int }

func (f *fairlead) footprint(t *testing.T) footprint {
	t.Helper()
	got, err := f.ask(http.MethodGet, "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string) int {
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(got.body)
		if found == nil {
			t.Fatalf("no metric %s", name)
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	return footprint{value("go_goroutines"), value("process_open_fds"), value("process_resident_memory_bytes")}
}

// case B170: a request goes on after a reload that took its app away, and the container with it until then.
func TestReloadWaitsForRequests(t *testing.T) {
	t.Parallel()
	const hello = `
  hello: {route: {host: hello.test}}`
	f := launch(t, setup{Apps: hello + `
  extra: {route: {host: extra.test}, drain: 1m}`})
	v := f.visitor(t)
	v.get(t, "extra", "/id")
	const size = 100_000
	download := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "extra", fmt.Sprintf("/slow?bytes=%d&for=2s", size), nil)
		return reply{got, err}
	})
	eventually(t, "a download", func() string {
		if f.app(t, "extra").Leases == 0 {
			return "not yet"
		}
		return ""
	})
	since := f.now(t)
	setup{Apps: hello}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)
	if leases := f.app(t, "extra").Leases; leases != 1 {
		t.Errorf("%d leases are shown of the app that goes", leases)
	}
	if state := f.only(t, "extra").State; !strings.EqualFold(string(state), "running") {
		t.Errorf("its container is %s", state)
	}
	got := settled(t, "the download", download)
	if body := served(t)(got.answer, got.err); len(body) != size {
		t.Errorf("the download has %d bytes", len(body))
	}
	f.awaitNone(t, "extra")
}
