package main

import (
	_ "embed"
	"html/template"
	"net/http"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page shows a person who answers, and that a WebSocket through the proxy lives.
func (a *app) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	pageTemplate.Execute(w, map[string]string{
		"App":     a.name,
		"Replica": a.replica,
		"Since":   a.listening.UTC().Format(time.RFC1123),
	})
}
