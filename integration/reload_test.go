package integration

import (
	"net/http"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// P7, P10, case B086: apps come and go, and a broken file is refused, while a WebSocket of another app stays open.
func TestReload(t *testing.T) {
	t.Parallel()
	const hello = `
  hello: {route: {host: hello.test}}`
	f := launch(t, setup{Apps: hello})
	v := f.visitor(t)
	socket := v.socket(t, "hello")
	socket.echo(t, "before")
	container := f.only(t, "hello").ID

	since := f.now(t)
	setup{Apps: hello + `
  extra: {route: {host: extra.test}}`}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)
	v.get(t, "extra", "/id")
	socket.echo(t, "with another app")

	since = f.now(t)
	f.rewrite(t, "apps: {hello: {imagge: x}}\n")
	f.await(t, since, "", journal.ConfigRefused)
	v.get(t, "extra", "/id")
	socket.echo(t, "with a broken file")

	since = f.now(t)
	setup{Apps: hello}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)
	f.awaitNone(t, "extra")
	if got, err := v.send(http.MethodGet, "extra", "/id", nil); err != nil || got.status != http.StatusNotFound {
		t.Errorf("the app that is gone: got %d, %v", got.status, err)
	}
	socket.echo(t, "after")
	if f.only(t, "hello").ID != container {
		t.Error("the app that stays has another container")
	}
}
