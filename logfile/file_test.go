package logfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReopenFollowsThePath(t *testing.T) {
	for name, rotation := range map[string]Rotation{"plain": {}, "rotating": {Size: 10 << 20}} {
		path := filepath.Join(t.TempDir(), "access.log")
		f := opened(t, path, rotation)
		write(t, f, "one\n")
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
		write(t, f, "two\n")
		if err := f.Reopen(); err != nil {
			t.Fatal(err)
		}
		write(t, f, "three\n")
		if old, fresh := content(t, path+".1"), content(t, path); old != "one\ntwo\n" || fresh != "three\n" {
			t.Errorf("%s: %q and %q", name, old, fresh)
		}
	}
}

func TestWhatIsThereStays(t *testing.T) {
	for name, rotation := range map[string]Rotation{"plain": {}, "rotating": {Size: 10 << 20}} {
		path := filepath.Join(t.TempDir(), "access.log")
		if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, opened(t, path, rotation), "after\n")
		if got := content(t, path); got != "before\nafter\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// However much comes at once, files stay below their size, and no line is lost between two of them: those alone that a disk
// had no time for. Their names are of the millisecond: no machine fills one of this size within it.
func TestAnotherFileBySize(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, filepath.Join(dir, "access.log"), Rotation{Size: 8 << 20})
	l := NewWriter(f)
	line := strings.Repeat("x", 1023) + "\n"
	for range 24 << 10 {
		write(t, l, line)
	}
	l.Close(t.Context())
	total := 0
	for _, entry := range files(t, dir) {
		text := content(t, filepath.Join(dir, entry))
		if len(text) > 8<<20 || len(text)%1024 != 0 {
			t.Errorf("%s has %d bytes", entry, len(text))
		}
		total += len(text)
	}
	if dropped := int(l.Dropped()); total != 24<<20-dropped*len(line) || len(files(t, dir)) < 3 {
		t.Errorf("%d bytes in %v, %d lines dropped", total, files(t, dir), dropped)
	}
}

func TestAnotherFileByTime(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, filepath.Join(dir, "access.log"), Rotation{Every: 20 * time.Millisecond, Files: 2})
	write(t, f, "old\n")
	deadline := time.Now().Add(30 * time.Second)
	for len(files(t, dir)) < 2 {
		if time.Now().After(deadline) {
			t.Fatalf("no other file: %v", files(t, dir))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestPathThatCannotBeWritten(t *testing.T) {
	for _, rotation := range []Rotation{{}, {Size: 1 << 20}} {
		if f, err := Open(filepath.Join(t.TempDir(), "no", "such", "dir", "access.log"), rotation); err == nil {
			f.Close()
			t.Errorf("%+v: opened", rotation)
		}
	}
}

func opened(t *testing.T, path string, r Rotation) File {
	t.Helper()
	f, err := Open(path, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func write(t *testing.T, to io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(to, text); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
