package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
)

// echoed is what arrived here, as the app saw it.
type echoed struct {
	App     string      `json:"app"`
	Replica string      `json:"replica"`
	Method  string      `json:"method"`
	Target  string      `json:"target"` // the request target byte for byte, before any decoding
	Proto   string      `json:"proto"`
	Host    string      `json:"host"`
	Remote  string      `json:"remote"`
	Headers http.Header `json:"headers"`
	Size    int64       `json:"size"`
	SHA256  string      `json:"sha256"`
	Error   string      `json:"error,omitempty"` // why the body ended early
}

// echo answers the request as JSON.
func (a *app) echo(w http.ResponseWriter, r *http.Request) {
	a.writeEcho(w, r, http.StatusOK)
}

func (a *app) writeEcho(w http.ResponseWriter, r *http.Request, code int) {
	sum := sha256.New()
	size, err := io.Copy(sum, r.Body)
	answer := echoed{
		App: a.name, Replica: a.replica, Method: r.Method, Target: r.RequestURI, Proto: r.Proto, Host: r.Host,
		Remote: r.RemoteAddr, Headers: r.Header, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil)),
	}
	if err != nil {
		answer.Error = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(answer)
}
