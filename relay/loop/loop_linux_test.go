package loop

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// on runs f on the loop and waits.
func on(l *Loop, f func()) {
	done := make(chan struct{})
	l.Do(func() { f(); close(done) })
	<-done
}

func TestJobsRunInOrder(t *testing.T) {
	l := Shared().Pick()
	var got []int
	for i := range 1000 {
		l.Do(func() { got = append(got, i) })
		if i%100 == 0 {
			time.Sleep(10 * time.Millisecond) // it sleeps as well
		}
	}
	on(l, func() {})
	for i, n := range got {
		if i != n {
			t.Fatalf("%d ran at %d", n, i)
		}
	}
	if len(got) != 1000 {
		t.Errorf("%d ran", len(got))
	}
}

// Whoever calls from many goroutines is heard, whether the loop sleeps, waits eagerly or works.
func TestNoJobIsLost(t *testing.T) {
	for _, l := range Shared().All() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 2000 {
					on(l, func() {})
				}
			})
		}
		all.Wait()
	}
}

type heard chan Events

func (h heard) Ready(e Events) {
	select {
	case h <- e:
	default:
	}
}

func pipe(t *testing.T) (r, w int) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(ends[0]); unix.Close(ends[1]) })
	return ends[0], ends[1]
}

func TestReadiness(t *testing.T) {
	l := Shared().Pick()
	r, w := pipe(t)
	events := make(heard, 10)
	var key Key
	var err error
	before := l.Load()
	on(l, func() { key, err = l.Add(r, events) })
	if err != nil || l.Load() != before+1 {
		t.Fatal(err, l.Load())
	}
	unix.Write(w, []byte("x"))
	if e := <-events; e&Readable == 0 {
		t.Errorf("told of %#x", e)
	}
	on(l, func() { l.Again(key) })
	if e := <-events; e != 0 {
		t.Errorf("told of %#x again", e)
	}
	on(l, func() { l.Remove(key); l.Remove(key) })
	unix.Write(w, []byte("x"))
	on(l, func() {})
	time.Sleep(20 * time.Millisecond)
	if len(events) > 0 || l.Load() != before {
		t.Errorf("told of what was removed; the load is %d, was %d", l.Load(), before)
	}
}

// Who only reads is not told that what it has sent was taken, which for datagrams would be once for each.
func TestReaderHearsOnlyOfWhatThereIsToRead(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	l := Shared().Pick()
	events := make(heard, 10)
	var key Key
	on(l, func() { key, err = l.AddReader(ends[0], events) })
	if err != nil {
		t.Fatal(err)
	}
	defer on(l, func() { l.Remove(key) })
	buffer := make([]byte, 10)
	_, _ = unix.Write(ends[0], []byte("x"))
	_, _ = unix.Read(ends[1], buffer) // makes the first end writable anew
	_, _ = unix.Write(ends[1], []byte("answer"))
	if e := <-events; e != Readable {
		t.Errorf("told of %#x first", e)
	}
}

// A place that is used again does not hear what was for the one before.
func TestPlacesAreNotMixedUp(t *testing.T) {
	var s slots
	old, first := make(heard), make(heard)
	key := s.put(7, old)
	s.drop(key)
	next := s.put(8, first)
	if h, _ := s.of(key); h != nil {
		t.Error("the old key leads somewhere")
	}
	if h, fd := s.of(next); h != Handler(first) || fd != 8 {
		t.Error("the new key leads elsewhere")
	}
	if h, _ := s.of(Key{}); h != nil {
		t.Error("the zero key leads somewhere")
	}
}

func TestTimers(t *testing.T) {
	l := Shared().Pick()
	fired := make(chan int, 10)
	timers := make([]Timer, 4)
	start := time.Now()
	on(l, func() {
		for i := range timers {
			timers[i].Fire = func() { fired <- i }
		}
		l.After(&timers[0], 60*time.Millisecond)
		l.After(&timers[1], 20*time.Millisecond)
		l.After(&timers[2], 10*time.Millisecond)
		l.After(&timers[3], time.Hour)
		l.Stop(&timers[2])
		l.After(&timers[3], 40*time.Millisecond) // sooner than it was set to
	})
	for _, want := range []int{1, 3, 0} {
		if got := <-fired; got != want {
			t.Errorf("%d fired, want %d", got, want)
		}
	}
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("took %v", took)
	}
	on(l, func() { l.Stop(&timers[0]) }) // has fired
}
