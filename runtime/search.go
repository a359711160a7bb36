package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/fairlead/fairlead/runtime/tunnel"
)

// Candidate is a place where an engine may answer, and why it is thought so.
type Candidate struct {
	URL string
	Why string     // DOCKER_HOST, CONTAINER_HOST, docker context NAME, or socket
	SSH tunnel.SSH // for ssh
	TLS *TLSFiles  // for tcp; nil: none
}

// Socket is the way to the candidate.
func (c Candidate) Socket() (*Socket, error) {
	if c.TLS == nil {
		return NewSocket(c.URL, nil, c.SSH)
	}
	secure, err := c.TLS.Config()
	if err != nil {
		return nil, err
	}
	return NewSocket(c.URL, secure, c.SSH)
}

// Candidates lists where engines are looked for when no host is configured, in order: what the environment names, then
// the docker context, then the sockets that exist. getenv is os.Getenv but in tests.
func Candidates(getenv func(string) string) []Candidate {
	var found []Candidate
	for _, name := range []string{"DOCKER_HOST", "CONTAINER_HOST"} {
		if url := getenv(name); url != "" {
			found = append(found, Candidate{URL: url, Why: name})
		}
	}
	if c, ok := dockerContext(getenv); ok {
		found = append(found, c)
	}
	for i := range found {
		found[i].SSH = tunnel.SSHOf(getenv)
	}
	return append(found, sockets(getenv)...)
}

// sockets are the usual places. A user's own Podman comes before the machine's engines.
func sockets(getenv func(string) string) []Candidate {
	paths := []string{"/run/podman/podman.sock", "/var/run/docker.sock"}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		paths = append([]string{filepath.Join(dir, "podman/podman.sock"), filepath.Join(dir, "docker.sock")}, paths...)
	}
	if os.Geteuid() == 0 {
		paths = []string{"/var/run/docker.sock", "/run/podman/podman.sock"}
	}
	var found []Candidate
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == os.ModeSocket {
			found = append(found, Candidate{URL: "unix://" + path, Why: "socket"})
		}
	}
	return found
}

// dockerContext reads the context that `docker context use` chose. Its metadata lie under the SHA-256 of its name.
func dockerContext(getenv func(string) string) (Candidate, bool) {
	dir := getenv("DOCKER_CONFIG")
	if dir == "" {
		dir = filepath.Join(getenv("HOME"), ".docker")
	}
	var config struct{ CurrentContext string }
	if !readJSON(filepath.Join(dir, "config.json"), &config) {
		return Candidate{}, false
	}
	name := config.CurrentContext
	if chosen := getenv("DOCKER_CONTEXT"); chosen != "" {
		name = chosen
	}
	if name == "" || name == "default" {
		return Candidate{}, false
	}
	sum := sha256.Sum256([]byte(name))
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	path := filepath.Join(dir, "contexts/meta", hex.EncodeToString(sum[:]), "meta.json")
	if !readJSON(path, &meta) || meta.Endpoints["docker"].Host == "" {
		return Candidate{}, false
	}
	return Candidate{URL: meta.Endpoints["docker"].Host, Why: "docker context " + name}, true
}

func readJSON(path string, into any) bool {
	raw, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// ErrNoEngine explains how to get an engine when none was found.
var ErrNoEngine = errors.New(strings.Join([]string{
	"no container engine found: name one under hosts in the configuration, set DOCKER_HOST, or start one:",
	"  rootless Podman: systemctl --user enable --now podman.socket",
	"  Podman as root:  systemctl enable --now podman.socket",
	"  Docker:          systemctl enable --now docker",
}, "\n"))
