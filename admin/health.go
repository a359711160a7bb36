package admin

import (
	"io"
	"net/http"
)

// Release is the answer to /api/version.
type Release struct {
	Version string `json:"version"`
}

func (a *api) version(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, Release{Version: a.Version})
}

// healthz says that the process answers; whether it should get traffic is for readyz.
func healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "ok\n")
}

func (a *api) readyz(w http.ResponseWriter, r *http.Request) {
	if a.Ready != nil {
		if err := a.Ready(); err != nil {
			problem(w, http.StatusServiceUnavailable, err.Error())
			return
		}
	}
	healthz(w, r)
}
