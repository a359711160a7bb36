package logfile

import (
	"bytes"
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"
)

const (
	room     = 4 << 20     // bytes that are kept at most, beside those that are being written
	patience = time.Second // of who writes, while there is no room
	// gather is how long the first line waits for others: without, each would wake the goroutine and be a write of its
	// own, which cost a small request a third of all that it spent.
	gather = 10 * time.Millisecond
	atOnce = 64 << 10 // bytes of one write, but for a line that is longer
)

// Writer hands lines to a goroutine of its own. Use NewWriter.
type Writer struct {
	to      io.Writer
	dropped atomic.Int64
	done    chan struct{} // closed when all is written

	mu      sync.Mutex // guards the fields below
	kept    []byte
	arrived chan struct{} // holds one: something is kept, or closed is set
	taken   chan struct{} // closed and replaced when what was kept is taken
	stands  bool          // nothing was taken for as long as patience lasts
	closed  bool
}

// NewWriter starts the goroutine that writes to w, which nobody else may. Close ends it.
func NewWriter(w io.Writer) *Writer {
	l := &Writer{to: w, done: make(chan struct{}), arrived: make(chan struct{}, 1), taken: make(chan struct{})}
	go l.run()
	return l
}

// Write keeps a line, which ends in a line feed. Where there is no room it waits for some, a second at most, and drops the
// line if there was none for as long. It never fails.
func (l *Writer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.put(line) {
		l.wait()
	}
	return len(line), nil
}

// TryWrite is a Write for those who must not wait: false if that would, and then nothing has happened.
func (l *Writer) TryWrite(line []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.put(line)
}

// Post is a Write of which a goroutine does the waiting, if there is any: for an event loop.
func (l *Writer) Post(line []byte) {
	if !l.TryWrite(line) {
		go l.Write(bytes.Clone(line))
	}
}

// put keeps a line or drops it. False if it is worth waiting for room. The mutex is held.
func (l *Writer) put(line []byte) bool {
	fits := l.fits(len(line))
	switch {
	case l.closed, !fits && l.stands:
		l.dropped.Add(1)
	case !fits:
		return false
	default:
		l.kept = append(l.kept, line...)
		l.signal()
	}
	return true
}

// Dropped is how many lines were.
func (l *Writer) Dropped() int64 { return l.dropped.Load() }

// Close writes what is kept. It returns when that is done, or when ctx is over; lines that come later are dropped.
func (l *Writer) Close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	l.signal()
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-ctx.Done():
	}
}

func (l *Writer) fits(n int) bool { return len(l.kept)+n <= room || len(l.kept) == 0 }

func (l *Writer) signal() {
	select {
	case l.arrived <- struct{}{}:
	default:
	}
}

// wait gives up the lock until there is room, or nobody waits any longer.
func (l *Writer) wait() {
	taken := l.taken
	l.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-taken:
		l.mu.Lock()
	case <-timer.C:
		l.mu.Lock()
		l.stands = taken == l.taken
	}
}

func (l *Writer) run() {
	defer close(l.done)
	var spare []byte
	for range l.arrived {
		if l.hasLittle() {
			time.Sleep(gather)
		}
		lines, last := l.take(spare)
		for part := range parts(lines) {
			_, _ = l.to.Write(part) // a full disk must not stop the traffic
		}
		if last {
			return
		}
		spare = lines[:0]
	}
}

// hasLittle says whether it is worth waiting for more.
func (l *Writer) hasLittle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept) < atOnce && !l.closed
}

// parts cuts at the ends of lines: a file that rotates takes whole ones, and none that is larger than it may become.
func parts(lines []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(lines) > 0 {
			n := len(lines)
			if n > atOnce {
				if n = bytes.LastIndexByte(lines[:atOnce], '\n') + 1; n == 0 {
					n = bytes.IndexByte(lines, '\n') + 1
				}
			}
			if !yield(lines[:n]) {
				return
			}
			lines = lines[n:]
		}
	}
}

// take empties what is kept into the hands of the goroutine, and gives it the other buffer.
func (l *Writer) take(spare []byte) (lines []byte, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, l.kept, l.stands = l.kept, spare, false
	close(l.taken)
	l.taken = make(chan struct{})
	return lines, l.closed
}
