package runtime

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/fairlead/fairlead/runtime/tunnel"
)

// Pong is the answer to a ping.
type Pong struct {
	API    string // newest Docker API version that is served
	Libpod string // Podman's own API version; empty on Docker
}

// Kind tells the engine's maker. Podman answers Docker's API too, so DOCKER_HOST may well name a Podman: only its own
// header gives it away.
func (p Pong) Kind() Kind {
	if p.Libpod != "" {
		return Podman
	}
	return Docker
}

// KindAt asks once which maker's engine answers there.
func KindAt(ctx context.Context, rawURL string, secure *tls.Config, ssh tunnel.SSH) (Kind, error) {
	socket, err := NewSocket(rawURL, secure, ssh)
	if err != nil {
		return "", err
	}
	defer socket.Close()
	pong, err := socket.Ping(ctx)
	return pong.Kind(), err
}

// Ping asks what answers behind the socket.
func (s *Socket) Ping(ctx context.Context) (Pong, error) {
	// GET, not HEAD: filtering socket proxies commonly allow only that.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base()+"/_ping", nil)
	if err != nil {
		return Pong{}, err
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return Pong{}, fmt.Errorf("ping %s: %w", s.URL, withoutURL(err))
	}
	defer resp.Body.Close()
	// Read to its end: net/http gives up a connection whose body is closed early, and each new one costs the memo of what
	// the engine said of itself, which Podman takes seconds of CPU to say again.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10))
	if resp.StatusCode != http.StatusOK {
		return Pong{}, fmt.Errorf("ping %s: %s", s.URL, resp.Status)
	}
	return Pong{API: resp.Header.Get("Api-Version"), Libpod: resp.Header.Get("Libpod-Api-Version")}, nil
}

// withoutURL drops the URL that net/http names: its host is made up.
func withoutURL(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}
