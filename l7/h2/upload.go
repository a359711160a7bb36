package h2

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// upload sends a request's body while the response is awaited and read.
type upload struct {
	stream  *Stream
	request *h1.Request
	decide  chan bool // of Expect: send, or do not; capacity 1
	stage   atomic.Int32
	broken  atomic.Pointer[error] // reading the body has failed, which is the visitor's doing
	parted  atomic.Bool           // one of the two who have the body has let go of it: the attempt, or the upload's goroutine
}

// Stages: whoever moves an upload out of untouched first decides whether the body is read at all.
const (
	untouched int32 = iota
	reading
	refused
)

var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

func newUpload(s *Stream, r *h1.Request) *upload {
	return &upload{stream: s, request: r, decide: make(chan bool, 1)}
}

// run is the upload's goroutine.
func (u *upload) run() {
	defer u.part()
	if !u.allowed() || !u.stage.CompareAndSwap(untouched, reading) {
		return
	}
	buffer := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buffer)
	for {
		n, err := u.request.Body.Read(buffer[:])
		if n > 0 && u.write(buffer[:n]) != nil {
			return
		}
		if err == io.EOF {
			u.finish()
			return
		}
		if err != nil {
			u.broken.Store(&err)
			u.stream.Reset(http2.ErrCodeCancel) // only that tells the app that this was not all
			return
		}
	}
}

// part is called by both who have the body; the second one releases it. An attempt that another one follows keeps it: the
// next one needs it, and releases it.
func (u *upload) part() {
	if u.parted.Swap(true) && u.request.Released != nil {
		u.request.Released()
	}
}

// write lets a piece leave at once: an app may wait for it before it answers.
func (u *upload) write(p []byte) error {
	if _, err := u.stream.Write(p); err != nil {
		return err
	}
	return u.stream.Flush()
}

func (u *upload) finish() {
	var trailer fields.List
	if u.request.Trailer != nil {
		trailer = u.request.Trailer()
	}
	if len(trailer) > 0 {
		_ = u.stream.CloseWithTrailer(trailer)
		return
	}
	_ = u.stream.CloseWrite()
}

// allowed waits for the app's 100, its final answer, or the end of patience (case B107).
func (u *upload) allowed() bool {
	if !u.request.Expect {
		return true
	}
	patience := time.NewTimer(h1.ExpectTimeout)
	defer patience.Stop()
	select {
	case send := <-u.decide:
		return send
	case <-u.stream.Context().Done():
		return false
	case <-patience.C:
		return true
	}
}

func (u *upload) tell(send bool) {
	select {
	case u.decide <- send:
	default:
	}
}

// refuse keeps the body from being read, if it was not yet.
func (u *upload) refuse() (read bool) {
	u.tell(false)
	u.stage.CompareAndSwap(untouched, refused)
	return u.stage.Load() == reading
}

// failed is why the body could not be read; nil if it could.
func (u *upload) failed() error {
	if err := u.broken.Load(); err != nil {
		return *err
	}
	return nil
}
