// Package credentials finds the login for a registry where `docker login` and `podman login` leave it.
//
//	engine, err := docker.New(runtime.Options{URL: url, Logins: credentials.For})
//
// Files are asked in this order, and the first that knows the registry wins: $REGISTRY_AUTH_FILE (alone, if it is set),
// $XDG_RUNTIME_DIR/containers/auth.json, ~/.config/containers/auth.json, and $DOCKER_CONFIG/config.json or
// ~/.docker/config.json. They are read anew each time, so a login needs no restart. Credential helpers that they name are
// run. What is known of a repository counts before what is known of its registry.
//
// The reading is containers/image's, whose one gap is closed here: credsStore, one helper for all registries. Nothing is
// written, kept or logged.
package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/containers/image/v5/pkg/docker/config"
	"github.com/containers/image/v5/types"
	"github.com/distribution/reference"
	"github.com/docker/docker-credential-helpers/client"
	"github.com/docker/docker-credential-helpers/credentials"

	"github.com/fairlead/fairlead/runtime"
)

// For returns the login for an image, the zero one if there is none.
func For(image string) (runtime.Login, error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return runtime.Login{}, nil // an id is never pulled
	}
	registry := reference.Domain(named)
	only := os.Getenv("REGISTRY_AUTH_FILE")
	found, err := config.GetCredentialsForRef(&types.SystemContext{AuthFilePath: only}, named)
	if err != nil {
		return runtime.Login{}, fmt.Errorf("find the login to %s: %w", registry, err)
	}
	login := runtime.Login{Registry: registry, Username: found.Username, Password: found.Password, IdentityToken: found.IdentityToken}
	if login.Known() || only != "" {
		return login, nil
	}
	return stored(registry)
}

// stored asks the helper that Docker's configuration names for all registries, if it names one.
func stored(registry string) (runtime.Login, error) {
	helper, err := credsStore()
	if err != nil || helper == "" {
		return runtime.Login{}, err
	}
	server := registry
	if registry == "docker.io" {
		server = "https://index.docker.io/v1/" // docker login's name for it
	}
	found, err := client.Get(client.NewShellProgramFunc("docker-credential-"+helper), server)
	switch {
	case credentials.IsErrCredentialsNotFound(err):
		return runtime.Login{}, nil
	case err != nil:
		return runtime.Login{}, fmt.Errorf("ask docker-credential-%s for the login to %s: %w", helper, registry, err)
	case found.Username == "<token>": // the protocol's word for a secret that is an identity token
		return runtime.Login{Registry: registry, IdentityToken: found.Secret}, nil
	}
	return runtime.Login{Registry: registry, Username: found.Username, Password: found.Secret}, nil
}

func credsStore() (string, error) {
	path := filepath.Join(dockerDirectory(), "config.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read docker's configuration: %w", err)
	}
	var file struct {
		CredsStore string `json:"credsStore"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return file.CredsStore, nil
}

func dockerDirectory() string {
	if given := os.Getenv("DOCKER_CONFIG"); given != "" {
		return given
	}
	return filepath.Join(os.Getenv("HOME"), ".docker")
}
