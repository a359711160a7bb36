package admin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/fairlead/fairlead/journal"
)

// served runs the API on a loopback socket until the test ends.
func (w *world) served(t *testing.T) *Client {
	t.Helper()
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return w.servedOn(t, listener, listener.Addr().String())
}

func (w *world) servedOn(t *testing.T, listener net.Listener, address string) *Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, listener, w.handler) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	client, err := NewClient(address, testToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.http.CloseIdleConnections)
	return client
}

func (w *world) record(words ...journal.Word) {
	for _, word := range words {
		w.Journal.Record(journal.Event{Word: word, App: "hello"})
	}
}

func words(events []journal.Event) (list []journal.Word) {
	for _, e := range events {
		list = append(list, e.Word)
	}
	return list
}

func TestEventsSince(t *testing.T) {
	w := newWorld(t)
	w.record(journal.ReplicaStarted, journal.ReplicaReaped)
	w.Journal.Record(journal.Event{Word: journal.HostUnknown, Host: "lab"})
	for query, want := range map[string][]journal.Word{
		"":                  {journal.ReplicaStarted, journal.ReplicaReaped, journal.HostUnknown},
		"?since=1":          {journal.ReplicaReaped, journal.HostUnknown},
		"?since=3":          nil,
		"?app=hello":        {journal.ReplicaStarted, journal.ReplicaReaped},
		"?since=3000":       {journal.ReplicaStarted, journal.ReplicaReaped, journal.HostUnknown}, // Fairlead was restarted
		"?since=1&app=none": nil,
	} {
		got := words(decoded[[]journal.Event](t, w.send("GET", "/api/events"+query, nil).Body))
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
	wantProblem(t, w.send("GET", "/api/events?since=yesterday", nil), 400, "want the number of an event")
}

func TestFollowSeesWhatWasAndWhatComes(t *testing.T) {
	w := newWorld(t)
	w.record(journal.ReplicaStarted, journal.RestartDetected)
	client := w.served(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []journal.Word
	err := client.Follow(ctx, 1, "hello", func(e journal.Event) error {
		seen = append(seen, e.Word)
		switch e.Word {
		case journal.RestartDetected:
			w.record(journal.ReplicaReadopted)
		case journal.ReplicaReadopted:
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if want := []journal.Word{journal.RestartDetected, journal.ReplicaReadopted}; !slices.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
}

func TestFollowersEndWithTheServer(t *testing.T) {
	w := newWorld(t)
	w.record(journal.ReplicaStarted)
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, listener, w.handler) }()
	client, err := NewClient(listener.Addr().String(), "")
	if err != nil {
		t.Fatal(err)
	}
	err = client.Follow(t.Context(), 0, "", func(journal.Event) error { cancel(); return nil })
	if !errors.Is(err, ErrEnded) {
		t.Errorf("follow ended with %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

func TestLogsPassTheirOptionsAndStream(t *testing.T) {
	w := newWorld(t)
	output, container := io.Pipe()
	w.control.logs = func(_ context.Context, app string, o LogOptions) (io.ReadCloser, error) {
		if want := (LogOptions{Replica: "r1", Follow: true, Previous: true, Tail: 5}); o != want || app != "hello" {
			t.Errorf("%s: got %+v", app, o)
		}
		return output, nil
	}
	logs, err := w.served(t).Logs(t.Context(), "hello", LogOptions{Replica: "r1", Follow: true, Previous: true, Tail: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	for _, line := range []string{"one\n", "two\n"} { // each arrives before the next is written
		go io.WriteString(container, line)
		got := make([]byte, len(line))
		if _, err := io.ReadFull(logs, got); err != nil || string(got) != line {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	container.Close()
	if rest, err := io.ReadAll(logs); len(rest) > 0 || err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

func TestLogsThatBreakDoNotEndCleanly(t *testing.T) {
	w := newWorld(t)
	w.control.logs = func(context.Context, string, LogOptions) (io.ReadCloser, error) {
		broken := io.MultiReader(bytes.NewReader([]byte("half")), iotest.ErrReader(errors.New("engine went away")))
		return io.NopCloser(broken), nil
	}
	logs, err := w.served(t).Logs(t.Context(), "hello", LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	if got, err := io.ReadAll(logs); string(got) != "half" || err == nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLogOptionsAreChecked(t *testing.T) {
	w := newWorld(t)
	for _, query := range []string{"follow=maybe", "previous=7", "tail=-1", "tail=all"} {
		wantProblem(t, w.do("GET", "/api/apps/hello/logs?"+query), 400, "want")
	}
}
