package integration

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/image"
)

// serversImage has the servers of scripts/servers.sh: what people put behind a TCP or UDP route.
const serversImage = "localhost/fairlead-test-servers:latest"

// servers is where scripts/servers.sh has put the image's files, and the same files for the clients.
var servers = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs("../build/servers")
	if err != nil {
		return "", err
	}
	if said, err := exec.Command("../scripts/servers.sh").CombinedOutput(); err != nil {
		return "", fmt.Errorf("scripts/servers.sh: %w\n%s", err, said)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return dir, image.BuildDirectory(ctx, host, filepath.Join(dir, "image"), serversImage)
})

// serverApp is an app that runs one of the servers; more goes into its map.
func serverApp(t *testing.T, name, command, more string) string {
	t.Helper()
	if _, err := servers(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("\n  %s:\n    image: %s\n    port: null\n    entrypoint: [%s]%s\n",
		name, serversImage, strings.Join(strings.Fields(command), ", "), more)
}

// tool is one of the servers' clients, run as a person would on this machine, out of the files of their packages.
func tool(ctx context.Context, path string, args ...string) (string, error) {
	dir, err := servers()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: filepath.Join(dir, "root")}
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/usr/sbin", "HOME=/root", "LC_ALL=C"}
	said, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", path, strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(said)), err
}

// used is the output of a client that must succeed.
func used(t *testing.T, path string, args ...string) string {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	said, err := tool(ctx, path, args...)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// certificate is that of the servers which speak TLS, for the name db.test, in the clients' files.
const certificate = "/etc/server.crt"

// port of an address.
func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }
