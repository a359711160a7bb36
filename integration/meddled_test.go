package integration

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
)

func TestMeddledStart(t *testing.T) { onEachReach(t, meddledStart) }

// Somebody lays hands on a container that is just being started for a visitor. He is served by it, or by the next one.
func meddledStart(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  removed: {route: {host: removed.test}, env: {DEMO_BOOT: 2s}}
  restarted: {route: {host: restarted.test}, env: {DEMO_BOOT: 2s}}
  paused: {route: {host: paused.test}, env: {DEMO_BOOT: 2s}}`})
	for _, meddle := range []struct {
		app string
		do  func(id string)
	}{
		{"removed", f.outside.remove},
		{"restarted", f.outside.restart},
		{"paused", func(id string) {
			if err := f.outside.pause(id); err != nil {
				f.refuses(t, "pause", err)
				return
			}
			time.Sleep(3 * time.Second)
			f.outside.check("unpause", f.outside.unpause(id))
		}},
	} {
		v := f.visitor(t)
		began := time.Now()
		got := meanwhile(func() error {
			got, err := v.send(http.MethodGet, meddle.app, "/id", nil)
			if err == nil && got.status != http.StatusOK {
				err = fmt.Errorf("%d %s %s", got.status, got.header.Get("Fairlead-Reason"), got.body)
			}
			return err
		})
		meddle.do(f.booting(t, meddle.app))
		if err := settled(t, meddle.app, got); err != nil {
			t.Errorf("%s while it boots: %v", meddle.app, err)
		}
		t.Logf("%s %s: %s while it boots: served after %s", kind, reach, meddle.app, time.Since(began).Round(time.Millisecond))
		f.only(t, meddle.app)
	}
}

// booting is the container of an app as soon as it runs.
func (f *fairlead) booting(t *testing.T, app string) (id string) {
	t.Helper()
	eventually(t, "a container of "+app, func() string {
		for _, c := range f.containers(t, app) {
			if c.State == container.StateRunning {
				id = c.ID
				return ""
			}
		}
		return "none runs"
	})
	return id
}
