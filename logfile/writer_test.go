package logfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestEveryLineArrivesWhole(t *testing.T) {
	to := &gate{}
	to.open()
	l := NewWriter(to)
	var writers sync.WaitGroup
	for i := range 50 {
		writers.Go(func() {
			for j := range 200 {
				fmt.Fprintf(l, "%d %d %s\n", i, j, strings.Repeat("x", 400))
			}
		})
	}
	writers.Wait()
	l.Close(t.Context())
	next := map[int]int{}
	for line := range strings.Lines(to.text.String()) {
		var i, j int
		var rest string
		if _, err := fmt.Sscanf(line, "%d %d %s\n", &i, &j, &rest); err != nil || len(rest) != 400 || next[i] != j {
			t.Fatalf("%q: %v, want number %d", line, err, next[i])
		}
		next[i]++
	}
	if len(next) != 50 || next[7] != 200 || l.Dropped() != 0 {
		t.Errorf("of %d writers, %d lines of one, %d dropped", len(next), next[7], l.Dropped())
	}
}

// A disk that stands still holds up each of those who write for a second at most, then nobody; and it costs lines only
// while it does.
func TestStandingDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l, to, line := standing()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %s while there was room", waited)
		}
		_, _ = l.Write(line)
		if waited := time.Since(began); waited != patience || l.Dropped() != 1 {
			t.Errorf("waited %s, %d dropped", waited, l.Dropped())
		}
		_, _ = l.Write(line)
		if waited := time.Since(began); waited != patience || l.Dropped() != 2 {
			t.Errorf("the second one too: %s, %d dropped", waited, l.Dropped())
		}
		to.open()
		synctest.Wait()
		_, _ = l.Write(line)
		l.Close(t.Context())
		if got := to.text.Len() >> 20; got != room>>20+2 || l.Dropped() != 2 {
			t.Errorf("%d lines, %d dropped", got, l.Dropped())
		}
	})
}

// A busy log is written many lines at a time: each write of its own cost a request more than the line did.
func TestLinesAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &counted{}
		l := NewWriter(to)
		for range 100 {
			_, _ = io.WriteString(l, "a line\n")
			time.Sleep(gather / 50)
		}
		l.Close(t.Context())
		if to.bytes != 700 || to.writes > 4 {
			t.Errorf("%d bytes in %d writes", to.bytes, to.writes)
		}
	})
}

// counted is read after Close only.
type counted struct{ bytes, writes int }

func (c *counted) Write(p []byte) (int, error) {
	c.bytes, c.writes = c.bytes+len(p), c.writes+1
	return len(p), nil
}

// Who waits for room goes on as soon as there is some.
func TestRoomComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, to, line := standing()
		time.AfterFunc(patience/2, to.open)
		began := time.Now()
		_, _ = l.Write(line)
		if waited := time.Since(began); waited != patience/2 || l.Dropped() != 0 {
			t.Errorf("waited %s, %d dropped", waited, l.Dropped())
		}
		l.Close(t.Context())
	})
}

// Who cannot wait need not, and his line is written when there is room.
func TestPostDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, to, line := standing()
		began := time.Now()
		if l.TryWrite(line) {
			t.Error("there is room")
		}
		l.Post(line)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %s", waited)
		}
		to.open()
		synctest.Wait()
		l.Close(t.Context())
		if got := to.text.Len() >> 20; got != room>>20+2 || l.Dropped() != 0 {
			t.Errorf("%d lines, %d dropped", got, l.Dropped())
		}
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &gate{}
		l := NewWriter(to)
		_, _ = io.WriteString(l, "a\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		l.Close(ctx)
		_, _ = io.WriteString(l, "late\n")
		if l.Dropped() != 1 {
			t.Errorf("%d dropped", l.Dropped())
		}
		to.open()
		synctest.Wait()
		if got := to.text.String(); got != "a\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestPartsAreWholeLines(t *testing.T) {
	long := strings.Repeat("y", atOnce+10) + "\n"
	text := strings.Repeat("0123456789\n", atOnce/11+5) + long + "z\n" + "no end"
	var whole bytes.Buffer
	for part := range parts([]byte(text)) {
		if rest := len(text) - whole.Len(); len(part) < rest && part[len(part)-1] != '\n' {
			t.Errorf("a part ends in %q", part[len(part)-1])
		}
		if len(part) > atOnce && string(part) != long {
			t.Errorf("a part of %d", len(part))
		}
		whole.Write(part)
	}
	if whole.String() != text {
		t.Error("the parts are not the whole")
	}
}

// standing is a writer without any room: its destination stands still, with one line in its hands, and as many are kept
// as may be. All are of one MiB.
func standing() (l *Writer, to *gate, line []byte) {
	to = &gate{}
	l = NewWriter(to)
	line = append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	l.Post(line)
	synctest.Wait() // it is being written
	for range room >> 20 {
		l.Post(line)
	}
	return l, to, line
}

// gate is a destination that stands still until it is opened.
type gate struct {
	once   sync.Once
	closed chan struct{}
	text   bytes.Buffer // read it after Close only
}

func (g *gate) c() chan struct{} {
	g.once.Do(func() { g.closed = make(chan struct{}) })
	return g.closed
}

func (g *gate) open() { close(g.c()) }

func (g *gate) Write(p []byte) (int, error) {
	<-g.c()
	return g.text.Write(p)
}
