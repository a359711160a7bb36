package h1

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// upload sends a request's body while the response is awaited and read.
type upload struct {
	conn    *conn
	request *Request
	decide  chan bool     // of Expect: send, or do not; capacity 1
	wait    time.Duration // for the decision; zero without Expect
	stage   atomic.Int32
	last    atomic.Bool   // the end of the body is being written
	done    chan struct{} // closed when Body will not be read any more

	complete bool  // after done: all was sent
	err      error // after done: why the app did not take it
}

// Stages of an upload: whoever moves it out of untouched first decides whether Body is read at all.
const (
	untouched int32 = iota
	reading
	refused
)

// room for a chunk's size in front of it: "10000\r\n".
const (
	room       = 7
	bufferSize = 64 << 10
)

var buffers = sync.Pool{New: func() any { return new([room + bufferSize + 2]byte) }}

func newUpload(c *conn, r *Request, wait time.Duration) *upload {
	u := &upload{conn: c, request: r, decide: make(chan bool, 1), done: make(chan struct{})}
	if r.Expect {
		u.wait = wait
	}
	return u
}

// run is the upload's goroutine.
func (u *upload) run() {
	defer u.release()
	if !u.allowed() || !u.stage.CompareAndSwap(untouched, reading) {
		return
	}
	buffer := buffers.Get().(*[room + bufferSize + 2]byte)
	defer buffers.Put(buffer)
	if u.request.chunked() {
		u.err = u.sendChunks(buffer[:])
	} else {
		u.err = u.sendLength(buffer[room : room+bufferSize])
	}
	u.complete = u.err == nil
	if errors.Is(u.err, ErrRequestBody) {
		u.conn.kill(u.err) // only a broken connection tells the app that this was not all
	}
}

func (u *upload) release() {
	if u.request.Released != nil {
		u.request.Released()
	}
	close(u.done)
}

// allowed waits for the app's 100, its final answer, or the end of patience (case B107).
func (u *upload) allowed() bool {
	if u.wait == 0 {
		return true
	}
	patience := time.NewTimer(u.wait)
	defer patience.Stop()
	select {
	case send := <-u.decide:
		return send
	case <-patience.C:
		return true
	}
}

// tell an upload that waits whether to send. Only the first decision counts.
func (u *upload) tell(send bool) {
	select {
	case u.decide <- send:
	default:
	}
}

// waits says whether the body still is held back for the app's 100.
func (u *upload) waits() bool { return u.wait > 0 && u.stage.Load() == untouched }

// refuse keeps Body from being read, if it was not yet.
func (u *upload) refuse() (read bool) {
	u.tell(false)
	u.stage.CompareAndSwap(untouched, refused)
	return u.stage.Load() == reading
}

func (u *upload) sendLength(buffer []byte) error {
	for left := u.request.ContentLength; left > 0; {
		n, err := u.request.Body.Read(buffer[:min(int64(len(buffer)), left)])
		left -= int64(n)
		if left > 0 && err != nil {
			return fmt.Errorf("%w: %w", ErrRequestBody, truncated(err))
		}
		if n == 0 {
			continue
		}
		u.last.Store(left == 0)
		if _, err := u.conn.Write(buffer[:n]); err != nil {
			return err
		}
	}
	return nil
}

func (u *upload) sendChunks(buffer []byte) error {
	for {
		n, err := u.request.Body.Read(buffer[room : room+bufferSize])
		if err != nil && err != io.EOF {
			return fmt.Errorf("%w: %w", ErrRequestBody, err)
		}
		if n > 0 {
			if _, err := u.conn.Write(chunk(buffer, n)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return u.sendTrailer()
		}
	}
}

// chunk puts the size before and the end behind the n bytes that stand in the buffer's middle: one write, one packet.
func chunk(buffer []byte, n int) []byte {
	var size [room]byte
	line := append(strconv.AppendInt(size[:0], int64(n), 16), "\r\n"...)
	start := room - len(line)
	copy(buffer[start:], line)
	return append(buffer[:room+n][start:], "\r\n"...)
}

func (u *upload) sendTrailer() error {
	end, err := u.request.appendTrailer(nil)
	if err != nil {
		return fmt.Errorf("%w: trailer: %w", ErrRequestBody, err)
	}
	u.last.Store(true)
	_, err = u.conn.Write(end)
	return err
}

// settled says whether all was sent. An app may answer the moment it has the last byte, before the write of that byte
// has returned here: that is waited for.
func (u *upload) settled() bool {
	if u.last.Load() {
		soon := time.NewTimer(50 * time.Millisecond)
		defer soon.Stop()
		select {
		case <-u.done:
		case <-soon.C:
		}
	}
	return u.over() && u.complete
}

// over says whether Body is left alone for good.
func (u *upload) over() bool {
	select {
	case <-u.done:
		return true
	default:
		return false
	}
}
