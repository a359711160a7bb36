package admin

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnixSocketIsTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	w := newWorld(t)
	listener, err := Listen("unix://" + path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	client := w.servedOn(t, listener, "unix://"+path)
	if apps, err := client.Apps(t.Context()); err != nil || len(apps) != 2 {
		t.Errorf("got %v, %v", apps, err)
	}
	if _, err := Listen("unix://" + path); err == nil || !strings.Contains(err.Error(), "listens there already") {
		t.Errorf("a second one: %v", err)
	}
}

func TestClosedSocketIsGone(t *testing.T) {
	dir := t.TempDir()
	listener, err := Listen("unix://" + dir + "/admin.sock")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	listener, err := Listen("unix://" + path)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}

func TestOtherFilesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix://" + path); err == nil {
		t.Error("took a file's place")
	}
	if text, _ := os.ReadFile(path); string(text) != "data" {
		t.Errorf("now it holds %q", text)
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, address := range []string{":9900", "0.0.0.0:0", "192.0.2.1:0", "example.org:0", "nonsense"} {
		if listener, err := Listen(address); err == nil {
			listener.Close()
			t.Errorf("%s was accepted", address)
		}
	}
}

func TestTokenIsMadeOnceForTheOwner(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadToken(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	first, err := EnsureToken(dir)
	if err != nil || len(first) != 64 {
		t.Fatalf("%q, %v", first, err)
	}
	info, err := os.Stat(TokenPath(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	again, err := EnsureToken(dir)
	if err != nil || again != first {
		t.Errorf("again: %q, %v", again, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// A token that was emptied must not become "no token needed" or be replaced behind the operator's back.
func TestEmptyTokenFileIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(TokenPath(dir), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := EnsureToken(dir); err == nil {
		t.Errorf("got %q", token)
	}
}
