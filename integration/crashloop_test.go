package integration

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/fairlead/fairlead/integration/image"
)

// Somebody's container that its engine starts again whenever it crashes is not taken for one that runs: a visitor is told,
// and the log says so once. Docker stops it for good; Podman knows no stop for what does not run at the moment (case B203).
func TestCrashLoopEndsStopped(t *testing.T) {
	t.Parallel()
	engine := newOutside(t, "")
	name := "theirs-" + strings.ToLower(rand.Text()[:10])
	theirs := engine.crashing(name)
	eventually(t, "the first crash", func() string {
		if engine.inspect(theirs).RestartCount == 0 {
			return "not started again yet"
		}
		return ""
	})
	count := engine.inspect(theirs).RestartCount
	f := launch(t, setup{Reach: reaches()[0], Apps: fmt.Sprintf(`
  hello: {adopt: {name: %s}, image: null, route: {host: hello.test}, idle: 2s, ready: {timeout: 3s}, restart_grace: 2s}
  other: {route: {host: other.test}}`, name)})

	got, err := f.visitor(t).send(http.MethodGet, "hello", "/id", nil)
	if err != nil || got.status != http.StatusServiceUnavailable || got.header.Get("Fairlead-Reason") != "failed" {
		t.Errorf("got %d %v %v", got.status, got.header, err)
	}
	f.visitor(t).get(t, "other", "/id") // takes as long as several of its crashes
	still := 0                          // looks in a row that found it ended
	eventually(t, "its end, or ten more crashes on Podman", func() string {
		now := engine.inspect(theirs)
		if still++; now.State.Running || now.State.Restarting {
			still = 0
		}
		if still >= 20 || kind != docker && now.RestartCount >= count+10 {
			return ""
		}
		return string(now.State.Status)
	})
	if n := strings.Count(f.process.log.tail(10000), "is not ready"); n > 3 {
		t.Errorf("%d lines in the log of one container that crashes", n)
	}
}

// crashing runs a container of the demo app that its engine starts again each time when it crashes.
func (o *outside) crashing(name string) (id string) {
	o.t.Helper()
	return o.runAs(client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: image.Plain.Ref(), Cmd: []string{"-crash", "3"}},
		HostConfig: &container.HostConfig{RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyAlways}},
	})
}
