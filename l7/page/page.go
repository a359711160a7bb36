// Package page is the waiting page: what a browser shows while an app starts, is full, or cannot start.
//
//	view := page.View{App: "hello", Language: page.Choose(r.Header.Get("Accept-Language")), Reason: page.Starting}
//	header.Set("Content-Security-Policy", page.Policy)
//	page.Render(w, view)
//
// It is one self-contained document. Without JavaScript it reloads itself; with it, it asks the same URL with the
// header Fairlead-Probe, shows what the answer's Fairlead-Reason says, and reloads when that is Ready. It decides
// nothing: who waits, and for what, is told by the view.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"time"
)

// Reasons that the page has words for; they are also the words of the Fairlead-Reason header.
const (
	Ready        = "ready"
	Starting     = "starting"
	Full         = "full"
	Failed       = "failed"
	ShuttingDown = "shutting-down"
)

// Probe is the request header by which the page asks how things stand.
const Probe = "Fairlead-Probe"

// Refresh is how often the page asks: well below the life of a ticket, so that an open page keeps its place.
const Refresh = 2 * time.Second

// View is what one page shows.
type View struct {
	App      string
	Language *Language
	Reason   string // one of the above; any other is shown as Starting
	Why      string // the word for a failure, such as "crashed"; empty: none
}

// Policy is the Content-Security-Policy of the page: its own style and script, and questions to its own origin.
var Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'self'; style-src " + source(style) +
	"; script-src " + source(script)

// Render writes the page.
func Render(w io.Writer, v View) error {
	return document.Execute(w, map[string]any{
		"App": v.App, "Lang": v.Language.Tag, "Why": v.Why, "Reason": known(v.Reason),
		"Parts":   v.Language.parts(),
		"Seconds": int(Refresh.Seconds()),
		"Style":   template.CSS(style), "Script": template.JS(script),
	})
}

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed page.js
var script string

var document = template.Must(template.New("page").Parse(markup))

func known(reason string) string {
	switch reason {
	case Full, Failed, ShuttingDown:
		return reason
	}
	return Starting
}

func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
