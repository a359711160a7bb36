package integration

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/containers/image/v5/manifest"

	"github.com/fairlead/fairlead/integration/image"
)

// registry is a private image registry with one repository, private/demo, which it gives to nobody but one user. It
// speaks TLS on loopback, and engines trust it for as long as the test runs.
type registry struct {
	address  string
	user     atomic.Pointer[[2]string]
	refused  atomic.Int64
	manifest []byte
	blobs    map[string][]byte // by digest
}

// trusted is where Docker and Podman both look for the authorities of a registry, anew for each pull: dockerd's own
// folder, which containers/image reads as well.
const trusted = "/etc/docker/certs.d"

func newRegistry(t *testing.T, user, password string) *registry {
	t.Helper()
	r := &registry{blobs: map[string][]byte{}}
	r.user.Store(&[2]string{user, password})
	r.fill(t)
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	r.address = server.Listener.Addr().String()
	folder := filepath.Join(trusted, r.address)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(folder, "ca.crt"), authority, 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *registry) image(tag string) string { return r.address + "/private/demo:" + tag }

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	user, password, _ := request.BasicAuth()
	if want := *r.user.Load(); user != want[0] || password != want[1] {
		r.refused.Add(1)
		w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, name, found := strings.Cut(request.URL.Path, "/v2/private/demo/")
	kind, digest, _ := strings.Cut(name, "/")
	switch {
	case !found:
		w.WriteHeader(http.StatusOK) // /v2/: whether one may come in
	case kind == "manifests":
		w.Header().Set("Content-Type", manifest.DockerV2Schema2MediaType)
		w.Header().Set("Docker-Content-Digest", digestOf(r.manifest))
		_, _ = w.Write(r.manifest)
	case r.blobs[digest] != nil:
		_, _ = w.Write(r.blobs[digest])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// fill makes an image of the demo app by hand, as `docker push` would leave it.
func (r *registry) fill(t *testing.T) {
	t.Helper()
	layer := layerOf(t)
	config := map[string]any{
		"architecture": "amd64", "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/demo"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digestOf(layer)}},
	}
	r.manifest = marshal(t, map[string]any{
		"schemaVersion": 2, "mediaType": manifest.DockerV2Schema2MediaType,
		"config": r.keep(marshal(t, config), manifest.DockerV2Schema2ConfigMediaType),
		"layers": []any{r.keep(zipped(t, layer), manifest.DockerV2Schema2LayerMediaType)},
	})
}

func (r *registry) keep(blob []byte, mediaType string) map[string]any {
	r.blobs[digestOf(blob)] = blob
	return map[string]any{"mediaType": mediaType, "size": len(blob), "digest": digestOf(blob)}
}

func layerOf(t *testing.T) []byte {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	folder := t.TempDir()
	if err := image.Compile(ctx, filepath.Join(folder, "demo")); err != nil {
		t.Fatal(err)
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	if err := archive.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return layer.Bytes()
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func digestOf(blob []byte) string {
	sum := sha256.Sum256(blob)
	return "sha256:" + hex.EncodeToString(sum[:])
}
