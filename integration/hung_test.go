package integration

import (
	"net/http"
	"testing"
)

func TestHungApp(t *testing.T) { onEachReach(t, hungApp) }

// An app that hangs and still accepts: the engine calls it running and its connections stay open. Its health check alone
// speaks against it, and it is replaced.
func hungApp(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1}, health: {http: /healthz, interval: 2s, retries: 2, action: restart}}
  avoided: {route: {host: avoided.test}, replicas: {min: 1}, health: {http: /healthz, interval: 2s, retries: 2}}`})
	f.awaitReplicas(t, "hello", 1)
	avoided := f.awaitReplicas(t, "avoided", 1)[0]
	v := f.visitor(t)
	old := f.row(t, "hello")
	served(t)(v.send(http.MethodPost, "avoided", "/hang?on=1", nil))
	served(t)(v.send(http.MethodPost, "hello", "/hang?on=1", nil))
	f.awaitRenewed(t, "hello", old)
	if got := v.get(t, "hello", "/id"); got == old.ID {
		t.Errorf("served by %s, the hung one", got)
	}
	eventually(t, "one container", func() string {
		if n := len(f.containers(t, "hello")); n != 1 {
			return "there are more, or none"
		}
		return ""
	})
	eventually(t, "a suspect", func() string {
		if !f.row(t, "avoided").Suspect {
			return "not yet"
		}
		return ""
	})
	if now := f.row(t, "avoided"); now.Container != avoided.Container || now.State != "ready" {
		t.Errorf("avoided is %+v, was %+v", now, avoided)
	}
}
