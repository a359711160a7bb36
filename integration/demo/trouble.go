package main

import (
	"fmt"
	"net/http"
	"os"
)

// crashNow exits with ?code= (1) and answers nothing.
func (a *app) crashNow(w http.ResponseWriter, r *http.Request) {
	code, err := number(r, "code", 1)
	if err != nil || code > 255 {
		http.Error(w, "code is 0 to 255", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(os.Stderr, "demo: crash asked for by a request, exit code %d\n", code)
	os.Exit(code)
}

// hang never answers. POST ?on=1 makes every other path hang as well, and ?on=0 ends that.
func (a *app) hang(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		waitForever(r)
	}
	a.hangs.Store(r.URL.Query().Get("on") == "1")
	fmt.Fprintln(w, a.hangs.Load())
}

// waitForever ends with the client or with the process, and then without an answer.
func waitForever(r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// status answers ?code= (200); an informational code is followed by a 200.
func (a *app) status(w http.ResponseWriter, r *http.Request) {
	code, err := number(r, "code", http.StatusOK)
	if err != nil || code < 100 || code > 999 || code == http.StatusSwitchingProtocols {
		http.Error(w, "code is 100 to 999 and not 101", http.StatusBadRequest)
		return
	}
	w.WriteHeader(code)
	if code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified {
		fmt.Fprintln(w, code, http.StatusText(code))
	}
}
