package integration

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

// An image of a private registry is pulled with the login that docker login left, by password and by a credential helper;
// a login that is made later needs no restart, and none is ever logged.
func TestPrivateRegistry(t *testing.T) {
	t.Parallel()
	const password, renewed = "first-secret", "second-secret"
	private := newRegistry(t, "alice", password)
	home := t.TempDir()
	engine := newOutside(t, "")
	t.Cleanup(func() { engine.forget(private.image("one"), private.image("two")) }) // after the containers
	f := launch(t, setup{Reach: reaches()[0],
		Env: []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH")},
		Apps: fmt.Sprintf(`
  hello: {image: %q, pull: missing, route: {host: hello.test}}
  other: {image: %q, pull: missing, route: {host: other.test}}`, private.image("one"), private.image("two"))})
	v := f.visitor(t)

	got, err := v.send(http.MethodGet, "hello", "/id", nil)
	if err != nil || got.status != http.StatusServiceUnavailable || got.header.Get("Fairlead-Reason") != "failed" {
		t.Fatalf("without a login: %d %v %v", got.status, got.header, err)
	}
	if private.refused.Load() == 0 {
		t.Fatal("the registry was not even asked")
	}

	basic := base64.StdEncoding.EncodeToString([]byte("alice:" + password))
	dockerConfig(t, home, fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, private.address, basic))
	f.wake(t, "hello")
	v.get(t, "hello", "/id")

	private.user.Store(&[2]string{"alice", renewed})
	helper := "#!/bin/sh\necho '" + `{"Username": "alice", "Secret": "` + renewed + `"}` + "'\n"
	if err := os.WriteFile(filepath.Join(home, "docker-credential-demo"), []byte(helper), 0o700); err != nil {
		t.Fatal(err)
	}
	dockerConfig(t, home, fmt.Sprintf(`{"credHelpers": {%q: "demo"}}`, private.address))
	v.get(t, "other", "/id")

	for _, secret := range []string{password, renewed, basic} {
		if strings.Contains(f.process.log.tail(1<<20), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

func dockerConfig(t *testing.T, home, text string) {
	t.Helper()
	folder := filepath.Join(home, ".docker")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wake is fairlead wake: it ends the pause after a failed start.
func (f *fairlead) wake(t *testing.T, app string) {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	if _, err := f.admin.Wake(ctx, app, 0); err != nil {
		t.Fatal(err)
	}
}

// forget removes images that a test has pulled, once their containers are gone.
func (o *outside) forget(images ...string) {
	for _, image := range images {
		ctx, cancel := bounded()
		_, err := o.ImageRemove(ctx, image, client.ImageRemoveOptions{Force: true})
		cancel()
		if err != nil {
			o.t.Logf("image %s is left: %v", image, err)
		}
	}
}
