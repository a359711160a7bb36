package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/journal"
)

// watcher calls seen with each piece of output.
type watcher func(piece string)

func (w watcher) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

// Ctrl-C, here the end of the context, is how following ends: no error.
func TestEventsFollow(t *testing.T) {
	w := newWorld(t)
	p, _, stderr := w.program("FAIRLEAD_ADMIN=" + w.address)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []string
	p.Stdout = watcher(func(line string) {
		seen = append(seen, line)
		switch {
		case strings.Contains(line, "start failed"): // the last one that was there
			w.journal.Record(journal.Event{Word: journal.ReplicaReaped, App: "hello"})
		case strings.Contains(line, "replica reaped"):
			cancel()
		}
	})
	if code := p.Execute(ctx, []string{"events", "--follow"}); code != 0 || stderr.String() != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if len(seen) != 3 {
		t.Errorf("each event once, please: %q", seen)
	}
}

func TestLogsFollow(t *testing.T) {
	w := newWorld(t)
	p, _, stderr := w.program("FAIRLEAD_ADMIN="+w.address, "FAIRLEAD_TOKEN="+testToken)
	output, container := io.Pipe()
	w.control.logs = func(o admin.LogOptions) io.ReadCloser {
		if !o.Follow {
			t.Error("not following")
		}
		return output
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.Stdout = watcher(func(string) { cancel() })
	go io.WriteString(container, "one line\n")
	if code := p.Execute(ctx, []string{"logs", "hello", "-f"}); code != 0 || stderr.String() != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	container.Close()
}

func TestEventsFollowSaysWhenFairleadStops(t *testing.T) {
	w := newWorld(t)
	p, _, stderr := w.program("FAIRLEAD_ADMIN=" + w.address)
	p.Stdout = watcher(func(line string) {
		switch {
		case strings.Contains(line, "start failed"):
			w.journal.Record(journal.Event{Word: journal.ReplicaReaped, App: "hello"})
		case strings.Contains(line, "replica reaped"): // it came over the stream
			w.server.CloseClientConnections()
		}
	})
	if code := p.Execute(t.Context(), []string{"events", "--follow"}); code != 1 || stderr.String() == "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
