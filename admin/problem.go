package admin

import (
	"encoding/json"
	"net/http"
)

const problemType = "application/problem+json"

// Problem is an answer that is an error (RFC 9457). It is an error itself: the client returns it.
type Problem struct {
	Title  string `json:"title"` // the status in words
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

func problem(w http.ResponseWriter, status int, detail string) {
	write(w, status, problemType, Problem{Title: http.StatusText(status), Status: status, Detail: detail})
}

func fail(w http.ResponseWriter, err error) { problem(w, statusOf(err), err.Error()) }

func answer(w http.ResponseWriter, status int, body any) { write(w, status, "application/json", body) }

func write(w http.ResponseWriter, status int, contentType string, body any) {
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil { // our own types: cannot happen, but an empty 200 would be a lie
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that left needs no answer
}
