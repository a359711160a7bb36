package integration

import (
	"context"
	"regexp"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// mayAsk is all that Fairlead asks an engine, as docs/configuration.md lists it for who filters a socket.
var mayAsk = regexp.MustCompile(`^(` +
	`(GET|HEAD) /_ping|GET /(version|info|events)|` +
	`POST /images/(create|pull)|GET /images/[^ ]+/json|GET /networks/[^ /]+(/exists)?|POST /networks/[^ /]+/connect|` +
	`GET /containers/(json|stats)|POST /containers/create|GET /containers/ID/(json|logs|stats)|` +
	`POST /containers/ID/(start|stop|pause|unpause)|DELETE /containers/ID)$`)

// case B200: the engine's socket is root on its machine. Fairlead works behind a proxy that lets through what is listed,
// and asks for nothing that runs a command in a container, builds, copies, or makes volumes and networks.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	w := newWire(t, host)
	f := launch(t, setup{URL: w.url(), Apps: `
  hello: {route: {host: hello.test}, replicas: {max: 1}}
  rests: {route: {host: rests.test}, sleep: stop, idle: 1s}`})
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	f.outside.remove(f.only(t, "hello").ID)
	v.get(t, "hello", "/id")
	f.outside.restart(f.only(t, "hello").ID)
	v.get(t, "hello", "/id")
	v.get(t, "rests", "/id")
	f.await(t, 0, "rests", journal.ReplicaStopped)
	v.get(t, "rests", "/id")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := f.admin.Usage(ctx); err != nil {
		t.Error(err)
	}
	if _, err := f.admin.Sleep(ctx, "hello"); err != nil {
		t.Error(err)
	}
	f.awaitGone(t, "hello")
	calls := map[string]bool{}
	for _, line := range w.lines() {
		calls[plain(line)] = true
	}
	for call := range calls {
		if !mayAsk.MatchString(call) {
			t.Errorf("Fairlead asked %s", call)
		}
	}
	if !calls["POST /containers/create"] || !calls["POST /containers/ID/stop"] {
		t.Errorf("the wire has seen only %v", calls)
	}
}

var (
	requestLine = regexp.MustCompile(`^(\w+) (?:/v[0-9.]+)?(?:/libpod)?([^ ?]*).*$`)
	named       = regexp.MustCompile(`^(\w+ /containers/)(?:[0-9a-f]{64}|fairlead-[^/]+)`)
)

// plain takes version, query and the container's name off a request line.
func plain(line string) string {
	return named.ReplaceAllString(requestLine.ReplaceAllString(line, "$1 $2"), "${1}ID")
}
