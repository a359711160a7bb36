package admin

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

const logPiece = 32 << 10

func (a *api) logs(w http.ResponseWriter, r *http.Request) {
	options, err := logOptionsOf(r.URL.Query())
	if err != nil {
		problem(w, http.StatusBadRequest, err.Error())
		return
	}
	app, err := a.find(r)
	if err != nil {
		fail(w, err)
		return
	}
	output, err := a.Control.Logs(r.Context(), app.Name, options)
	if err != nil {
		fail(w, err)
		return
	}
	defer output.Close()
	stream(w, output)
}

// stream copies the output as it comes. If it breaks the answer is aborted: a clean end would say that this was all.
func stream(w http.ResponseWriter, output io.Reader) {
	control := unhurried(w)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_ = control.Flush() // a quiet container: the client must not wait for its header
	piece := make([]byte, logPiece)
	for {
		n, err := output.Read(piece)
		if n > 0 && send(w, control, piece[:n]) != nil {
			return
		}
		switch {
		case err == io.EOF:
			return
		case err != nil:
			panic(http.ErrAbortHandler)
		}
	}
}

func logOptionsOf(query url.Values) (o LogOptions, err error) {
	o.Replica = query.Get("replica")
	if o.Follow, err = flagOf(query, "follow"); err != nil {
		return o, err
	}
	if o.Previous, err = flagOf(query, "previous"); err != nil {
		return o, err
	}
	if text := query.Get("tail"); text != "" {
		if o.Tail, err = strconv.Atoi(text); err != nil || o.Tail < 0 {
			return o, fmt.Errorf("tail=%s: want a number of lines", quoted(text))
		}
	}
	return o, nil
}

func flagOf(query url.Values, name string) (bool, error) {
	text := query.Get(name)
	if text == "" {
		return false, nil
	}
	set, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s=%s: want true or false", name, quoted(text))
	}
	return set, nil
}
