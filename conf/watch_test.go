package conf

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patience is far above what a change takes to be told; it only ends a test that would wait for ever.
const patience = 30 * time.Second

// watched runs a Watcher over paths; the channel gets one value for each change that it tells.
func watched(t *testing.T, w *Watcher, paths ...string) <-chan struct{} {
	t.Helper()
	changes, done := make(chan struct{}, 100), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	w.Mark(paths)
	go func() {
		defer close(done)
		w.Watch(ctx, paths, func() { changes <- struct{}{} })
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return changes
}

func once(t *testing.T, what string, changes <-chan struct{}) {
	t.Helper()
	select {
	case <-changes:
	case <-time.After(patience):
		t.Fatalf("%s: not told in %s", what, patience)
	}
	quiet(t, what, changes)
}

// quiet waits for longer than Settle: what is told by mistake would have come by then.
func quiet(t *testing.T, what string, changes <-chan struct{}) {
	t.Helper()
	select {
	case <-changes:
		t.Fatalf("%s: told, or told twice", what)
	case <-time.After(150 * time.Millisecond):
	}
}

// put makes a file, or edits one in place with a content that is no shorter, in one step each: an empty file that stands
// for longer than Settle, as on a busy machine, would be a change of its own.
func put(t *testing.T, path, content string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		must(t, os.WriteFile(path+".aside", []byte(content), 0o600))
		must(t, os.Rename(path+".aside", path))
		return
	}
	must(t, err)
	defer file.Close()
	_, err = file.WriteString(content)
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// case B172: however a file changes, it is told once.
func TestWatcherTellsEachChangeOnce(t *testing.T) {
	for name, every := range map[string]time.Duration{"events": time.Hour, "reading": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "fairlead.yaml")
			put(t, path, "1")
			changes := watched(t, &Watcher{Every: every, Settle: 30 * time.Millisecond}, path)

			put(t, path, "22")
			once(t, "edited in place", changes)

			put(t, path+".new", "3")
			must(t, os.Rename(path+".new", path))
			once(t, "moved over", changes)

			put(t, path, "4")
			once(t, "edited after it was moved over", changes)

			must(t, os.Remove(path))
			put(t, path, "5")
			once(t, "deleted and made again", changes)

			must(t, os.Remove(path))
			quiet(t, "deleted", changes)

			put(t, path, "5")
			put(t, filepath.Join(dir, "other"), "x")
			put(t, path, "6")
			once(t, "edited after what was no change", changes)
		})
	}
}

// case B172: a Kubernetes volume, where ..data is swapped and the file's own directory entry never changes.
func TestWatcherFollowsSwappedSymlink(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"one", "two"} {
		must(t, os.Mkdir(filepath.Join(dir, ".."+version), 0o700))
		put(t, filepath.Join(dir, ".."+version, "fairlead.yaml"), version)
	}
	must(t, os.Symlink("..one", filepath.Join(dir, "..data")))
	must(t, os.Symlink("..data/fairlead.yaml", filepath.Join(dir, "fairlead.yaml")))
	for name, path := range map[string]string{"the file": filepath.Join(dir, "fairlead.yaml"), "the directory": dir} {
		t.Run(name, func(t *testing.T) {
			changes := watched(t, &Watcher{Every: time.Hour, Settle: 30 * time.Millisecond}, path)
			old, _ := os.Readlink(filepath.Join(dir, "..data"))
			must(t, os.Symlink(map[string]string{"..one": "..two", "..two": "..one"}[old], filepath.Join(dir, "..tmp")))
			must(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
			once(t, "swapped", changes)
		})
	}
}

// case B172: the target of a symlink is edited in a directory of its own.
func TestWatcherFollowsSymlinkTarget(t *testing.T) {
	target := filepath.Join(t.TempDir(), "real.yaml")
	path := filepath.Join(t.TempDir(), "fairlead.yaml")
	put(t, target, "1")
	must(t, os.Symlink(target, path))
	changes := watched(t, &Watcher{Every: time.Hour, Settle: 30 * time.Millisecond}, path)
	put(t, target, "2")
	once(t, "edited", changes)
}

// A link between the path and its target has no directory that is watched: only reading finds that it was swapped.
func TestWatcherReadsWithoutEvents(t *testing.T) {
	far, near := t.TempDir(), t.TempDir()
	for _, name := range []string{"1", "2"} {
		must(t, os.Symlink(written(t, name), filepath.Join(far, name)))
	}
	must(t, os.Symlink("1", filepath.Join(far, "link")))
	path := filepath.Join(near, "fairlead.yaml")
	must(t, os.Symlink(filepath.Join(far, "link"), path))
	changes := watched(t, &Watcher{Every: 20 * time.Millisecond, Settle: 10 * time.Millisecond}, path)
	put(t, path, "1, edited")
	once(t, "edited", changes)
	must(t, os.Remove(filepath.Join(far, "link")))
	must(t, os.Symlink("2", filepath.Join(far, "link")))
	once(t, "swapped", changes)
}

// case B173: a start with a file that is broken or missing still watches.
func TestWatcherBeginsWithBrokenOrMissingFile(t *testing.T) {
	for name, content := range map[string]string{"broken": "apps: [", "missing": ""} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fairlead.yaml")
			if content != "" {
				put(t, path, content)
			}
			changes := watched(t, &Watcher{Settle: 30 * time.Millisecond}, path)
			put(t, path, minimal)
			once(t, "repaired", changes)
			if _, err := Load(Source{Paths: []string{path}}); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file that went away from a directory is a change.
func TestWatcherOfDirectory(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.yaml"), filepath.Join(dir, "2.yaml")
	put(t, one, "a: 1")
	changes := watched(t, &Watcher{Every: time.Hour, Settle: 30 * time.Millisecond}, dir)
	put(t, two, "b: 1")
	once(t, "added", changes)
	must(t, os.Remove(one))
	once(t, "removed", changes)
}

// A change between Mark, the first Load and Watch is not lost.
func TestWatcherKnowsWhatWasMarked(t *testing.T) {
	path := written(t, "1")
	w := &Watcher{Every: 20 * time.Millisecond, Settle: 10 * time.Millisecond}
	w.Mark([]string{path})
	put(t, path, "2")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	told := false
	w.Watch(ctx, []string{path}, func() {
		told = true
		cancel()
	})
	if !told {
		t.Error("not told")
	}
}
