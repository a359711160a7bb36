package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/docker/docker/api"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/fairlead/fairlead/runtime"
)

// oldest is the API of Docker 19.03; what Create sends needs no newer one.
const oldest = "1.40"

// session is a client that speaks the version which was agreed upon.
type session struct {
	*client.Client
	release string
}

// spoken is the answer of GET /version, as far as a choice needs it.
type spoken struct {
	Release string `json:"Version"`
	Newest  string `json:"ApiVersion"`
	Oldest  string `json:"MinAPIVersion"`
}

// client returns a client for a version that both sides know. Docker's own negotiation holds a mutex while it pings,
// so that one hung call would hang all others whatever their contexts say; this one does not.
func (e *Engine) client(ctx context.Context) (session, error) {
	return e.api.Get(ctx, e.negotiate)
}

func (e *Engine) negotiate(ctx context.Context) (session, error) {
	theirs, err := e.versions(ctx)
	if err != nil {
		return session{}, fmt.Errorf("docker at %s: %w", e.socket.URL, err)
	}
	version, err := common(theirs)
	if err != nil {
		return session{}, fmt.Errorf("docker at %s: %w", e.socket.URL, err)
	}
	// WithHost sets up the transport of the client it finds, hence before ours takes its place.
	c, err := client.NewClientWithOpts(client.WithHost(hostOf(e.socket)), client.WithHTTPClient(e.socket.Client()),
		client.WithVersion(version))
	return session{Client: c, release: theirs.Release}, err
}

// hostOf is the engine's address as Docker's client takes it: it knows no ssh, and needs to know no more than that paths
// follow a made-up host.
func hostOf(socket *runtime.Socket) string {
	if socket.URL.Scheme == "ssh" {
		return "unix://" + socket.URL.Path
	}
	return socket.URL.String()
}

func (e *Engine) versions(ctx context.Context) (spoken, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.socket.Base()+"/version", nil)
	if err != nil {
		return spoken{}, err
	}
	resp, err := e.socket.Client().Do(req)
	if err != nil {
		return spoken{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return spoken{}, fmt.Errorf("version: %s", resp.Status)
	}
	var theirs spoken
	if err := json.NewDecoder(resp.Body).Decode(&theirs); err != nil || theirs.Newest == "" {
		return spoken{}, fmt.Errorf("version: no answer of a Docker engine (%v)", err)
	}
	return theirs, nil
}

// common picks the newest version that both sides speak (case B026).
func common(theirs spoken) (string, error) {
	version := api.DefaultVersion
	if versions.LessThan(theirs.Newest, version) {
		version = theirs.Newest
	}
	tooNew := theirs.Oldest != "" && versions.LessThan(version, theirs.Oldest)
	if tooNew || versions.LessThan(version, oldest) {
		return "", fmt.Errorf("engine %s speaks API %s to %s, Fairlead %s to %s: no version in common: %w", theirs.Release,
			theirs.Oldest, theirs.Newest, oldest, api.DefaultVersion, runtime.ErrUnsupported)
	}
	return version, nil
}
