package credentials

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// home is a home folder with nothing in it but what a test writes.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, path := range map[string]string{"HOME": "", "XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "config", "DOCKER_CONFIG": "docker"} {
		t.Setenv(name, filepath.Join(dir, path))
		write(t, filepath.Join(dir, path, ".keep"), "")
	}
	t.Setenv("REGISTRY_AUTH_FILE", "")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// auths is a file as docker login and podman login write it: registry=user pairs, the password is pw-USER.
func auths(pairs ...string) string {
	var entries []string
	for _, pair := range pairs {
		key, user, _ := strings.Cut(pair, "=")
		entries = append(entries, fmt.Sprintf("%q: {\"auth\": %q}", key, base64.StdEncoding.EncodeToString([]byte(user+":pw-"+user))))
	}
	return `{"auths": {` + strings.Join(entries, ",") + `}}`
}

func wants(t *testing.T, image, user string) {
	t.Helper()
	got, err := For(image)
	want := runtime.Login{Registry: got.Registry, Username: user, Password: "pw-" + user}
	if user == "" {
		want.Password = ""
	}
	if err != nil || got != want {
		t.Errorf("%s: got %v (%v), want %q", image, got, err, user)
	}
}

func TestFilesInTheirOrder(t *testing.T) {
	dir := home(t)
	wants(t, "quay.io/team/app:1", "")
	write(t, filepath.Join(dir, "docker/config.json"), auths("quay.io=docker", "https://index.docker.io/v1/=hub"))
	wants(t, "quay.io/team/app:1", "docker")
	wants(t, "docker.io/library/nginx:latest", "hub")
	write(t, filepath.Join(dir, "config/containers/auth.json"), auths("quay.io=podman"))
	wants(t, "quay.io/team/app:1", "podman")
	write(t, filepath.Join(dir, "run/containers/auth.json"), auths("quay.io=today", "quay.io/team=team"))
	wants(t, "quay.io/team/app:1", "team")
	wants(t, "quay.io/other/app@sha256:"+strings.Repeat("0", 64), "today")
	wants(t, "ghcr.io/other/app:1", "")
	t.Setenv("REGISTRY_AUTH_FILE", filepath.Join(dir, "only.json"))
	write(t, filepath.Join(dir, "only.json"), auths("ghcr.io=only"))
	wants(t, "ghcr.io/other/app:1", "only")
	wants(t, "quay.io/team/app:1", "")
}

// helper writes a program as the credential helper protocol has it: the server on standard input, JSON on standard output.
func helper(t *testing.T, dir, name, script string) {
	t.Helper()
	write(t, filepath.Join(dir, "bin", "docker-credential-"+name), "#!/bin/sh\nread server\n"+script+"\n")
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
}

func TestHelpers(t *testing.T) {
	dir := home(t)
	helper(t, dir, "safe", `[ "$server" = quay.io ] || { echo "credentials not found in native keychain"; exit 1; }
echo '{"Username": "carol", "Secret": "pw-carol"}'`)
	helper(t, dir, "cloud", `echo '{"Username": "<token>", "Secret": "identity"}'`)
	helper(t, dir, "broken", `echo "the keyring is locked"; exit 1`)
	write(t, filepath.Join(dir, "docker/config.json"),
		`{"auths": {"quay.io": {}}, "credsStore": "safe", "credHelpers": {"ghcr.io": "cloud", "lost.io": "broken", "gone.io": "absent"}}`)
	wants(t, "quay.io/team/app:1", "carol")
	wants(t, "docker.io/library/nginx:latest", "")
	if got, err := For("ghcr.io/a/b:1"); err != nil || got.IdentityToken != "identity" || got.Username != "" {
		t.Errorf("a token: got %v (%v)", got, err)
	}
	for _, image := range []string{"lost.io/a/b:1", "gone.io/a/b:1"} {
		if got, err := For(image); err == nil || got.Known() {
			t.Errorf("%s: got %v (%v), want an error", image, got, err)
		}
	}
	helper(t, dir, "safe", `echo "the keyring is locked"; exit 1`)
	if _, err := For("quay.io/team/app:1"); err == nil || !strings.Contains(err.Error(), "docker-credential-safe") {
		t.Errorf("a broken store: %v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	dir := home(t)
	write(t, filepath.Join(dir, "docker/config.json"), "{")
	if _, err := For("quay.io/a/b:1"); err == nil || !strings.Contains(err.Error(), "config.json") {
		t.Errorf("got %v", err)
	}
}
