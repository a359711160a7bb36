package loop

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// step writes down what it is told.
type step struct {
	loop *Loop
	name string
	told *[]string
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
	if s.loop.Gathers() {
		s.loop.Later(s)
	}
}

func (s *step) Send() { s.tell("send") }
func (s *step) Sent() { s.tell("sent") }

func TestBatchGoesStepByStep(t *testing.T) {
	l := Shared().Pick()
	var told []string
	var keys []Key
	var others []int
	for _, name := range []string{"a", "b"} {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(pair[0])
		defer unix.Close(pair[1])
		on(l, func() {
			key, err := l.Add(pair[0], &step{l, name, &told})
			if err != nil {
				t.Error(err)
			}
			keys = append(keys, key)
		})
		others = append(others, pair[1])
	}
	on(l, func() {
		for _, fd := range others {
			_, _ = unix.Write(fd, one)
		}
	})
	for count := 0; count < 8; {
		on(l, func() { count = len(told) })
	}
	on(l, func() {
		for _, key := range keys {
			l.Remove(key)
		}
	})
	want := []string{"fetch a", "fetch b", "ready a", "ready b", "send a", "send b", "sent a", "sent b"}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
