package podman

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/containers/podman/v5/pkg/bindings"
	entities "github.com/containers/podman/v5/pkg/domain/entities/types"

	"github.com/fairlead/fairlead/runtime"
)

// Fetch pulls the image. The bindings' own Pull is the same request, but it hands every login that there is on this
// machine to the engine, which may be somebody else's, and fails when one of them cannot be read.
func (e *Engine) Fetch(ctx context.Context, ref string, progress func()) error {
	return runtime.FetchAs(ctx, e.options.Logins, ref, func(login runtime.Login) error {
		return explain("pull "+ref, e.fetchAs(ctx, ref, login, progress))
	})
}

func (e *Engine) fetchAs(ctx context.Context, ref string, login runtime.Login, progress func()) error {
	bound, err := e.bind(ctx)
	if err != nil {
		return err
	}
	connection, err := bindings.GetClient(bound)
	if err != nil {
		return err
	}
	header := http.Header{}
	if login.Known() { // otherwise Podman looks among the logins of its own user
		header.Set("X-Registry-Auth", login.Header())
	}
	params := url.Values{"reference": {ref}, "policy": {"always"}}
	resp, err := connection.DoRequest(bound, nil, http.MethodPost, "/images/pull", params, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if !resp.IsSuccess() {
		return resp.Process(nil)
	}
	return follow(resp.Body, progress)
}

// follow reads the progress, whose content does not matter here, and the failures inside a stream that began with 200
// (case B071).
func follow(stream io.Reader, progress func()) (failed error) {
	for lines := json.NewDecoder(stream); ; {
		var line entities.ImagePullReport
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return failed
		case err != nil:
			return err
		case line.Error != "":
			failed = errors.Join(failed, errors.New(line.Error))
		}
		progress()
	}
}
