package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// step is how often a slow download writes.
const step = 100 * time.Millisecond

// events streams server-sent events: ?n= how many (10; 0: without end), ?every= how often (1s).
func (a *app) events(w http.ResponseWriter, r *http.Request) {
	n, errN := number(r, "n", 10)
	every, errEvery := duration(r, "every", time.Second)
	if errN != nil || errEvery != nil {
		http.Error(w, "n is a number, every a duration", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for i := 1; n == 0 || i <= n; i++ {
		fmt.Fprintf(w, "id: %d\ndata: {\"n\":%d,\"replica\":%q}\n\n", i, i, a.replica)
		if http.NewResponseController(w).Flush() != nil || (i != n && !sleep(r.Context(), every)) {
			return
		}
	}
}

// slow streams ?bytes= (10 MiB) evenly over ?for= (10s), with a Content-Length.
func (a *app) slow(w http.ResponseWriter, r *http.Request) {
	size, errSize := number(r, "bytes", 10<<20)
	over, errOver := duration(r, "for", 10*time.Second)
	if errSize != nil || errOver != nil {
		http.Error(w, "bytes is a number, for a duration", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	steps := max(1, int(over/step))
	chunk := make([]byte, size/steps+1)
	for i, left := 0, size; left > 0; i++ {
		if i > 0 && !sleep(r.Context(), over/time.Duration(steps)) {
			return
		}
		n := min(left, len(chunk))
		if _, err := w.Write(chunk[:n]); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		left -= n
	}
}

func number(r *http.Request, key string, fallback int) (int, error) {
	value := r.URL.Query().Get(key)
	if value == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(value)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

func duration(r *http.Request, key string, fallback time.Duration) (time.Duration, error) {
	value := r.URL.Query().Get(key)
	if value == "" {
		return fallback, nil
	}
	return time.ParseDuration(value)
}
