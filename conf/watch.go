package conf

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher tells when the content of configuration files changed, however it was done: edited in place, moved over,
// behind a symlink that was swapped, deleted and made again. Events of the directories make it quick; reading the
// content every few seconds makes it sure (traefik/traefik#5589: the watch of a file that was replaced is dead).
//
// Its zero value is ready. One Watcher serves one Watch at a time.
type Watcher struct {
	Every  time.Duration // between two readings without an event; 0: 2 s
	Settle time.Duration // for how long the content must stand still; 0: 100 ms

	seen   fingerprint
	marked bool
}

// Mark remembers the content as it is. Call it before the first Load, and no change between that and Watch is missed;
// without it Watch begins with what it finds.
func (w *Watcher) Mark(paths []string) {
	w.seen, w.marked = read(paths), true
}

// Watch calls onChange once for each change of content, until ctx ends. A path that is missing is not a change, for
// nothing can be loaded from it; it is one when it is there again with other content. Files need not be valid, nor exist.
func (w *Watcher) Watch(ctx context.Context, paths []string, onChange func()) {
	if !w.marked {
		w.Mark(paths)
	}
	events, err := fsnotify.NewWatcher()
	if err == nil {
		defer events.Close()
	} else {
		// Out of inotify instances: reading alone does it, only later.
		events = &fsnotify.Watcher{}
	}
	tick := time.NewTicker(orDefault(w.Every, 2*time.Second))
	defer tick.Stop()
	for {
		// First subscribe, then look: a change in between is then one or the other.
		if err == nil {
			follow(events, paths)
		}
		w.look(ctx, paths, onChange)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-events.Events:
			// The same directory may hold a log, with an event for each line: meanwhile the kernel makes one of them.
			pause(ctx, orDefault(w.Settle, 100*time.Millisecond)/2)
		case <-events.Errors: // an overflow: something happened
		}
	}
}

// look compares once. Content that is still being written is read until it stands still.
func (w *Watcher) look(ctx context.Context, paths []string, onChange func()) {
	now := read(paths)
	for now != w.seen {
		if !pause(ctx, orDefault(w.Settle, 100*time.Millisecond)) {
			return
		}
		before := now
		if now = read(paths); now != before {
			continue
		}
		if now.whole {
			w.seen = now
			onChange()
		}
		return
	}
}

// pause is false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// follow watches the directories in which the paths, their files and what their symlinks lead to stand. Adding one again
// is nothing, and one that cannot be watched is read all the same.
func follow(events *fsnotify.Watcher, paths []string) {
	for _, path := range paths {
		files, _ := filesOf(path)
		for _, name := range append(files, path) {
			_ = events.Add(filepath.Dir(name))
			if target, err := filepath.EvalSymlinks(name); err == nil {
				_ = events.Add(filepath.Dir(target))
			}
		}
	}
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
