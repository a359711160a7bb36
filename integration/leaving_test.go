package integration

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestLeaving(t *testing.T) {
	t.Parallel()
	leaving(t)
}

// case B176: who is held when SIGTERM comes is answered, the exit is clean, and the containers are left to the next.
func leaving(t *testing.T) {
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}}
  slow: {route: {host: slow.test}, env: {DEMO_BOOT: 4s}}`})
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	held := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "slow", "/id", nil)
		return reply{got, err}
	})
	eventually(t, "a container that boots", func() string {
		if f.app(t, "slow").Waiting == 0 || len(f.containers(t, "slow")) == 0 {
			return "not yet"
		}
		return ""
	})
	download := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "hello", "/slow?bytes=100000&for=3s", nil)
		return reply{got, err}
	})
	eventually(t, "a download", func() string {
		if f.app(t, "hello").Leases == 0 {
			return "not yet"
		}
		return ""
	})
	f.process.signal(t, syscall.SIGTERM)
	got := settled(t, "the held request", held)
	if got.err != nil {
		t.Fatalf("the held request got no answer: %v", got.err)
	}
	if code, reason := got.answer.status, got.answer.header.Get("Fairlead-Reason"); code != http.StatusOK && reason == "" {
		t.Errorf("the held request got %d without a reason", code)
	}
	t.Logf("the held request got %d %s", got.answer.status, got.answer.header.Get("Fairlead-Reason"))
	got = settled(t, "the download", download)
	if body := served(t)(got.answer, got.err); len(body) != 100000 {
		t.Errorf("the download has %d bytes", len(body))
	}
	if code := f.process.awaitExit(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	kept := f.only(t, "hello")
	if kept.State != "running" {
		t.Errorf("the container is %s", kept.State)
	}
	f.start(t)
	v.get(t, "hello", "/id")
	if f.only(t, "hello").ID != kept.ID {
		t.Error("another container took its place")
	}
	v.get(t, "slow", "/id")
	f.only(t, "slow")
	f.never(t, 0, "hello", journal.ReplicaStarted)
}

// case B176: a port that is taken ends the second Fairlead with an error.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}}`})
	second := run(t, f.file(), "--listen", f.process.address, "--set", "instance="+f.instance+"-2", "--set", "listen.admin=",
		"--set", "state="+f.state()+"-2")
	t.Cleanup(second.kill)
	if code := second.awaitExit(t); code == 0 {
		t.Errorf("exit code 0:\n%s", second.log.tail(20))
	}
}

// A second Fairlead of the same instance must not share its containers.
func TestSecondOfAnInstance(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}}`})
	second := run(t, f.file(), "--set", "listen.admin=", "--set", "state="+f.state()+"-2")
	t.Cleanup(second.kill)
	if code := second.awaitExit(t); code == 0 {
		t.Errorf("exit code 0:\n%s", second.log.tail(20))
	}
	f.visitor(t).get(t, "hello", "/id")
}
