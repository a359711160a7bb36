package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fairlead/fairlead/journal"
)

// heartbeat keeps proxies and clients from taking a quiet stream for a dead one.
const heartbeat = 15 * time.Second

func (a *api) events(w http.ResponseWriter, r *http.Request) {
	since, err := sinceOf(r)
	if err != nil {
		problem(w, http.StatusBadRequest, err.Error())
		return
	}
	app := r.URL.Query().Get("app")
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		a.follow(w, r, since, app)
		return
	}
	events, _ := a.Journal.Since(since)
	answer(w, http.StatusOK, append([]journal.Event{}, of(app, events)...))
}

// sinceOf reads the last event that the client has; a browser that reconnects says it in a header.
func sinceOf(r *http.Request) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("since")
	}
	if text == "" {
		return 0, nil
	}
	since, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("since=%s: want the number of an event", quoted(text))
	}
	return since, nil
}

func of(app string, events []journal.Event) (kept []journal.Event) {
	for _, e := range events {
		if app == "" || e.App == app {
			kept = append(kept, e)
		}
	}
	return kept
}

// follow streams events as they come, by server-sent events (WHATWG HTML, section 9.2).
func (a *api) follow(w http.ResponseWriter, r *http.Request, since uint64, app string) {
	control := unhurried(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	piece := []byte(": fairlead\n\n") // shows at once that the stream stands
	for {
		events, changed := a.Journal.Since(since)
		if n := len(events); n > 0 {
			since = events[n-1].Seq
		}
		piece = append(piece, frames(of(app, events))...)
		if err := send(w, control, piece); err != nil {
			return
		}
		piece = nil
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-ticker.C:
			piece = []byte(":\n\n")
		}
	}
}

func frames(events []journal.Event) []byte {
	var b bytes.Buffer
	for _, e := range events {
		text, _ := json.Marshal(e) // strings, a number and a time: cannot fail
		fmt.Fprintf(&b, "id: %d\ndata: %s\n\n", e.Seq, text)
	}
	return b.Bytes()
}
