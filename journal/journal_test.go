package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func silent() *Journal { return New(slog.New(slog.DiscardHandler)) }

// record adds n different events.
func record(j *Journal, n int) {
	for i := range n {
		j.Record(Event{Word: ReplicaStarted, Cause: fmt.Sprint(i)})
	}
}

// wantRun checks that events are numbered without a gap.
func wantRun(t *testing.T, events []Event, from, to uint64) {
	t.Helper()
	if len(events) == 0 || events[0].Seq != from || events[len(events)-1].Seq != to {
		t.Fatalf("%d events, want %d to %d", len(events), from, to)
	}
	for i, e := range events {
		if e.Seq != from+uint64(i) || i > 0 && e.Time.Before(events[i-1].Time) {
			t.Fatalf("event %d has number %d and time %v", i, e.Seq, e.Time)
		}
	}
}

// P10: the ring is bounded, keeps the newest, and tells them without a gap across its end.
func TestRingKeepsTheNewest(t *testing.T) {
	j := silent()
	for last := uint64(1); last <= 3*keep+10; last++ {
		record(j, 1)
		if n := len(j.ring); n > keep || last >= keep && n < keep/2 {
			t.Fatalf("%d events are kept of %d", n, last)
		}
	}
	events, _ := j.Since(0)
	wantRun(t, events, events[0].Seq, 3*keep+10)
	if cap(j.ring) > 2*keep {
		t.Errorf("the ring has grown to %d", cap(j.ring))
	}
}

func TestSince(t *testing.T) {
	j := silent()
	record(j, keep+100)
	all, _ := j.Since(0)
	oldest := all[0].Seq
	for _, c := range []struct{ seq, from uint64 }{
		{0, oldest}, {1, oldest}, {oldest - 1, oldest}, {oldest, oldest + 1}, {keep + 99, keep + 100},
		{keep + 101, oldest}, // from before a restart of the process
	} {
		events, _ := j.Since(c.seq)
		wantRun(t, events, c.from, keep+100)
	}
	if events, more := j.Since(keep + 100); len(events) != 0 || more == nil {
		t.Errorf("%d events after the last", len(events))
	}
}

// What was handed out is a copy.
func TestSinceHandsOutACopy(t *testing.T) {
	j := silent()
	record(j, 10)
	events, _ := j.Since(0)
	events[3].App = "changed"
	record(j, 2*keep)
	wantRun(t, events, 1, 10)
	fresh := silent()
	record(fresh, 1)
	mine, _ := fresh.Since(0)
	mine[0].App = "changed"
	if yours, _ := fresh.Since(0); yours[0].App != "" {
		t.Error("a reader changed the journal")
	}
}

// A follower who goes by the channel misses nothing and sees nothing twice, while many record.
func TestFollowerSeesEverythingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := silent()
		var followed []Event
		done := make(chan struct{})
		go func() {
			defer close(done)
			for len(followed) < 1000 {
				var last uint64
				if n := len(followed); n > 0 {
					last = followed[n-1].Seq
				}
				events, more := j.Since(last)
				followed = append(followed, events...)
				if len(events) == 0 {
					<-more
				}
			}
		}()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { record(j, 100) })
		}
		all.Wait()
		<-done
		wantRun(t, followed, 1, 1000)
	})
}

// Operators search for the words and the keys; an empty field is left out.
func TestLogLine(t *testing.T) {
	var out bytes.Buffer
	j := New(slog.New(slog.NewJSONHandler(&out, nil)))
	j.Record(Event{Word: ReplicaReaped, App: "hello", Replica: "k3f9", Container: "c1", Host: "local", Trigger: Pass,
		Cause: "missing"})
	j.Record(Event{Word: ConfigApplied, Trigger: Operator})
	lines := decode(t, &out)
	full := map[string]string{"level": "INFO", "msg": "replica reaped", "app": "hello", "replica": "k3f9",
		"container": "c1", "host": "local", "trigger": "pass", "cause": "missing"}
	wantFields(t, lines[0], full)
	wantFields(t, lines[1], map[string]string{"level": "INFO", "msg": "config applied", "trigger": "operator"})
}

func wantFields(t *testing.T, line map[string]any, want map[string]string) {
	t.Helper()
	delete(line, "time")
	for key, value := range want {
		if line[key] != value {
			t.Errorf("%s is %v, want %q", key, line[key], value)
		}
	}
	if len(line) != len(want) {
		t.Errorf("the line is %v, want %v", line, want)
	}
}

func decode(t *testing.T, out *bytes.Buffer) (lines []map[string]any) {
	t.Helper()
	for decoder := json.NewDecoder(out); decoder.More(); {
		line := map[string]any{}
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// The words, exactly.
func TestWords(t *testing.T) {
	want := "restart detected,replica readopted,restart timed out,replica reaped,replica started,replica stopped," +
		"replica drained,surplus removed,start failed,host unknown,host recovered,config applied,config refused"
	var got []string
	for _, word := range []Word{RestartDetected, ReplicaReadopted, RestartTimedOut, ReplicaReaped, ReplicaStarted,
		ReplicaStopped, ReplicaDrained, SurplusRemoved, StartFailed, HostUnknown, HostRecovered, ConfigApplied,
		ConfigRefused} {
		got = append(got, string(word))
	}
	if strings.Join(got, ",") != want {
		t.Errorf("words are %q", got)
	}
}

// A password in an address that an engine repeats goes neither to the log nor to the ring; the rest of it stays.
func TestPasswordsAreStruckOut(t *testing.T) {
	for cause, want := range map[string]string{
		`pull: Get "https://me:hunter2@registry.lan/v2/": refused`: `pull: Get "https://me:xxxxx@registry.lan/v2/": refused`,
		"dial ssh://ops@lab:22/run/podman.sock: timeout":           "dial ssh://ops@lab:22/run/podman.sock: timeout",
		"http://127.0.0.1:8080/a:b@c answers 500":                  "http://127.0.0.1:8080/a:b@c answers 500",
		"https://:hunter2@a and redis://b:hunter2@c":               "https://:xxxxx@a and redis://b:xxxxx@c",
	} {
		var out bytes.Buffer
		j := New(slog.New(slog.NewTextHandler(&out, nil)))
		j.Record(Event{Word: StartFailed, Cause: cause})
		if events, _ := j.Since(0); events[0].Cause != want {
			t.Errorf("cause is %q, want %q", events[0].Cause, want)
		}
		if strings.Contains(out.String(), "hunter2") {
			t.Errorf("the log has %q", out.String())
		}
	}
}

// case B188: a condition that comes back for ever writes a few lines a minute, with the count of those left out; the
// ring has them all, and other events are told meanwhile.
func TestRepeatedEventsAreToldNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		j := New(slog.New(slog.NewJSONHandler(&out, nil)))
		for range 1200 { // two minutes
			j.Record(Event{Word: HostUnknown, Host: "lab", Cause: "refused"})
			time.Sleep(100 * time.Millisecond)
		}
		j.Record(Event{Word: HostUnknown, Host: "other", Cause: "refused"})
		lines := decode(t, &out)
		if len(lines) < 5 || len(lines) > 20 {
			t.Errorf("%d lines in two minutes", len(lines))
		}
		if last := lines[len(lines)-1]; last["host"] != "other" {
			t.Errorf("the other host's line is missing: %v", last)
		}
		told := 0.0
		for _, line := range lines[:len(lines)-1] {
			untold, _ := line["untold"].(float64)
			told += 1 + untold
		}
		if told < 900 || told > 1200 {
			t.Errorf("the lines account for %v of 1200 events", told)
		}
		if events, _ := j.Since(0); len(events) != 1201 {
			t.Errorf("%d events are in the ring", len(events))
		}
	})
}

// P10: however many different events there are, what is remembered of them is bounded, and all are told.
func TestDifferentEventsAreAllTold(t *testing.T) {
	var out bytes.Buffer
	j := New(slog.New(slog.NewTextHandler(&out, nil)))
	record(j, 3*apart)
	if lines := strings.Count(out.String(), "\n"); lines != 3*apart {
		t.Errorf("%d lines, want %d", lines, 3*apart)
	}
	if len(j.repeats) > apart {
		t.Errorf("%d are remembered", len(j.repeats))
	}
}
