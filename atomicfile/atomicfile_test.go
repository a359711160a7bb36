package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteReplacesThePrivateFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	for _, text := range []string{"a longer first one", "second"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWriteTellsThatItFailed(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "missing", "key"), nil); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
