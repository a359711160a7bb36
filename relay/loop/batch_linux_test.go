package loop

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// step writes down what it is told.
type step struct {
	loop *Loop
	key  Key
	name string
	told *[]string
	then func() // after Ready; nil: nothing
}

func (s *step) tell(what string) { *s.told = append(*s.told, what+" "+s.name) }

func (s *step) Fetch(e Events) {
	if e&Readable != 0 {
		s.tell("fetch")
	}
}

func (s *step) Ready(e Events) {
	if e&Readable == 0 {
		return
	}
	s.tell("ready")
	if s.then != nil {
		s.then()
	}
	if s.loop.Gathers() {
		s.loop.Later(s)
	}
}

func (s *step) Send() { s.tell("send") }
func (s *step) Sent() { s.tell("sent") }

// crowd makes descriptors readable at once, and returns the first so many things that their handlers are told. Before is
// called before, on the loop.
func crowd(t *testing.T, names []string, many int, before func(l *Loop, steps []*step)) (told []string) {
	t.Helper()
	l := Shared().Pick()
	steps, others := make([]*step, len(names)), make([]int, len(names))
	for i, name := range names {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(pair[0])
		defer unix.Close(pair[1])
		others[i], steps[i] = pair[1], &step{loop: l, name: name, told: &told}
		on(l, func() { steps[i].key, err = l.Add(pair[0], steps[i]) })
		if err != nil {
			t.Fatal(err)
		}
	}
	on(l, func() { // so that the loop hears of all at once
		if before != nil {
			before(l, steps)
		}
		for _, fd := range others {
			_, _ = unix.Write(fd, one)
		}
	})
	limit := time.Now().Add(10 * time.Second)
	for count := 0; count < many && time.Now().Before(limit); {
		on(l, func() { count = len(told) })
	}
	on(l, func() {
		for _, s := range steps {
			l.Remove(s.key)
		}
	})
	return told
}

func TestBatchGoesStepByStep(t *testing.T) {
	told := crowd(t, []string{"a", "b"}, 8, nil)
	want := []string{"fetch a", "fetch b", "ready a", "ready b", "send a", "send b", "sent a", "sent b"}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}

// Whoever is removed by somebody before him in the batch is told nothing more.
func TestRemovedWithinABatch(t *testing.T) {
	told := crowd(t, []string{"a", "b", "c"}, 9, func(l *Loop, steps []*step) {
		steps[0].then = func() { l.Remove(steps[1].key) }
	})
	want := []string{"fetch a", "fetch b", "fetch c", "ready a", "ready c", "send a", "send c", "sent a", "sent c"}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}

// Of more than a batch holds, the first are written to before the next are read from.
func TestMoreThanABatch(t *testing.T) {
	const more = 5
	names := make([]string, most+more)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	told := crowd(t, names, 4*len(names), nil)
	var want []string
	for batch := range slices.Chunk(names, most) {
		for _, what := range []string{"fetch", "ready", "send", "sent"} {
			for _, name := range batch {
				want = append(want, what+" "+name)
			}
		}
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
