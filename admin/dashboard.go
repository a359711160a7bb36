package admin

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"slices"

	"github.com/fairlead/fairlead/journal"
)

// recent is how many events the dashboard shows.
const recent = 50

// overview is what the dashboard shows: what the API's reads do, on one page.
type overview struct {
	Version string
	Ready   string // why no traffic should come; empty: nothing speaks against it
	Apps    []App
	Hosts   []HostStatus
	Events  []journal.Event // the newest first
}

// dashboard is a page for eyes. It only reads, so it needs no token, and shows no more than the reads do without one.
func (a *api) dashboard(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	if err := dashboardPage.Execute(&body, a.overview(r)); err != nil {
		problem(w, http.StatusInternalServerError, err.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body.Bytes()) // whoever left does not miss it
}

func (a *api) overview(r *http.Request) overview {
	o := overview{Version: a.Version, Apps: a.appViews(r), Hosts: a.hostViews()}
	if a.Ready != nil {
		if err := a.Ready(); err != nil {
			o.Ready = err.Error()
		}
	}
	events, _ := a.Journal.Since(0)
	o.Events = events[max(0, len(events)-recent):]
	slices.Reverse(o.Events)
	return o
}

//go:embed dashboard.html dashboard.css dashboard.js
var dashboardFiles embed.FS

var dashboardPage = template.Must(template.ParseFS(dashboardFiles, "dashboard.html"))

// dashboardPart serves the style or the script.
func dashboardPart(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeFileFS(w, r, dashboardFiles, r.URL.Path[1:])
}
