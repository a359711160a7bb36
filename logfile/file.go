package logfile

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Rotation says when another file begins and which old ones are deleted. Its zero value never does.
type Rotation struct {
	Size  int64         // in bytes, of which whole MiB count; 0: no limit
	Every time.Duration // 0: never
	Files int           // old ones; 0: no limit
	Age   time.Duration // of old ones, in whole days; 0: no limit
}

// File is a log that another one may take the place of.
type File interface {
	Write([]byte) (int, error)
	// Reopen makes the next Write go to the file that is at the path then: somebody moved the one that was.
	Reopen() error
	Close() error
}

// Open opens the file for appending, and makes it if there is none.
func Open(path string, r Rotation) (File, error) {
	f := &plain{path: path}
	if err := f.Reopen(); err != nil { // whatever rotates: a path that cannot be written is told now
		return nil, fmt.Errorf("open the log: %w", err)
	}
	if r.Size == 0 && r.Every == 0 {
		return f, nil
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return newRotating(path, r), nil
}

// plain is a file that others rotate, if anybody.
type plain struct {
	path string

	mu   sync.Mutex // held while a line is written: Reopen waits for it, nobody else does
	file *os.File
}

func (p *plain) Write(lines []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file.Write(lines)
}

func (p *plain) Reopen() error {
	fresh, err := os.OpenFile(p.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.file
	if p.file = fresh; old != nil {
		return old.Close()
	}
	return nil
}

func (p *plain) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file.Close()
}

// rotating is a file that rotates itself.
type rotating struct {
	*lumberjack.Logger
	ended chan struct{}
	once  sync.Once
}

// noLimit is larger than any file: without a number the library has one of its own.
const noLimit = 1 << 30 // MiB

func newRotating(path string, r Rotation) *rotating {
	f := &rotating{ended: make(chan struct{}), Logger: &lumberjack.Logger{
		Filename: path, MaxSize: noLimit, MaxBackups: r.Files, MaxAge: int(r.Age / (24 * time.Hour)), LocalTime: true,
	}}
	if r.Size > 0 {
		f.MaxSize = int(r.Size >> 20)
	}
	if r.Every > 0 {
		go f.turn(r.Every)
	}
	return f
}

func (f *rotating) turn(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-f.ended:
			return
		case <-ticker.C:
			_ = f.Rotate() // the next write tries again, and says so by lines that are missing
		}
	}
}

// Reopen relies on the library, which opens the file with the next write.
func (f *rotating) Reopen() error { return f.Logger.Close() }

func (f *rotating) Close() error {
	f.once.Do(func() { close(f.ended) })
	if err := f.Logger.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
