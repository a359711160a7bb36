package integration

import (
	"net/http"
	"strings"
	"testing"
)

// A browser sees the waiting page while the app boots, which nobody may keep, and then the app.
func TestWaitingPage(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, env: {DEMO_BOOT: 3s}, hold: {page: 200ms}}`})
	v := f.visitor(t)
	page, err := v.send(http.MethodGet, "hello", "/", navigation)
	if err != nil {
		t.Fatal(err)
	}
	if page.status != http.StatusServiceUnavailable || page.header.Get("Fairlead-Reason") != "starting" {
		t.Fatalf("got %d %s", page.status, page.header.Get("Fairlead-Reason"))
	}
	if got := page.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		t.Errorf("Cache-Control %q", got)
	}
	if page.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, `http-equiv="refresh"`) {
		t.Errorf("no page that loads itself again without a script: %s", page.body)
	}
	if body := v.navigate(t, "hello", "/"); !strings.Contains(body, f.row(t, "hello").ID) {
		t.Errorf("this is not the app's page: %s", body)
	}
	f.only(t, "hello")
}
