package integration

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/integration/image"
)

// cases B037, B041, B043: of a pod whose label an app adopts, the app's container is a replica, reached where its infra
// container is. That one has the label as well, and is none: neither while it runs alone nor after the other is removed.
func TestAdoptInPod(t *testing.T) {
	t.Parallel()
	if kind == docker {
		t.Skip("Docker has no pods")
	}
	name := "theirs-" + strings.ToLower(rand.Text()[:10])
	labels := map[string]string{"fairlead.test": name}
	var pod, made struct{ ID string }
	libpod(t, http.MethodPost, "/pods/create", map[string]any{"name": name, "labels": labels,
		"portmappings": []any{map[string]any{"container_port": 8080, "host_ip": "127.0.0.1"}}}, &pod)
	t.Cleanup(func() { libpod(t, http.MethodDelete, "/pods/"+name+"?force=true", nil, nil) })
	libpod(t, http.MethodPost, "/containers/create", map[string]any{"name": name + "-app", "pod": name,
		"image": image.Plain.Ref(), "labels": labels}, &made)

	f := launch(t, setup{Reach: reaches()[0], Apps: fmt.Sprintf(`
  hello: {adopt: {label: "fairlead.test=%s"}, image: null, route: {host: hello.test}}`, name)})
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	if row := f.row(t, "hello"); row.Container != made.ID {
		t.Errorf("served by %s, want %s", row.Container, made.ID)
	}
	f.outside.remove(made.ID)
	got, err := v.send(http.MethodGet, "hello", "/id", nil)
	if err != nil || got.header.Get("Fairlead-Reason") != "failed" {
		t.Errorf("with the infra container alone: got %d %v %v", got.status, got.header, err)
	}
	if rows := f.describe(t, "hello"); rows != "" {
		t.Errorf("rows %s are left", rows)
	}
}

// libpod asks Podman what Docker's API has no words for.
func libpod(t *testing.T, method, path string, body, into any) {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://podman/v4.0.0/libpod"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", strings.TrimPrefix(host, "unix://"))
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s %v", method, path, response.Status, said, err)
	}
	if into != nil && json.Unmarshal(said, into) != nil {
		t.Fatalf("%s %s: %s", method, path, said)
	}
}
