package integration

import (
	"syscall"
	"testing"
)

// What `fairlead clean` has removed, min brings back at once. An end at that moment leaves no container behind that never
// ran: nobody would come to remove it.
func TestEndRightAfterClean(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 2, max: 2}}`})
	f.awaitReplicas(t, "hello", 2)
	for range 3 {
		f.command(t, "clean")
		f.process.signal(t, syscall.SIGTERM)
		if code := f.process.awaitExit(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
		for _, c := range f.containers(t, "hello") {
			if c.State == "created" || c.State == "configured" {
				t.Errorf("%s is left, %s", c.Names, c.State)
			}
		}
		f.start(t)
		f.awaitReplicas(t, "hello", 2)
	}
}
