package l7

import (
	"net/http"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// A reload that changes the app's port leaves its replicas outdated, and serving where they listen.
func TestOutdatedReplicaServesOnItsOwnPort(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	changed := appConfig("/")
	changed.Port = port + 1
	h.config = &conf.Config{Apps: map[string]*conf.App{"hello": changed}}
	h.configure()
	if got := h.get("/"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d, want the old replica's answer", got.StatusCode)
	}
}
