package l7

import (
	"io"
	"net/http"
	"sync"
)

// expectation of a visitor who waits with his body until he is asked for it (RFC 9110, section 10.1.1): by the app, or by
// us once somebody reads it all the same. HTTP/1.1's server has one of its own. It keeps a 100 of ours apart from what the
// story says meanwhile.
type expectation struct {
	mu    sync.Mutex // guards what goes out until the answer has begun, and the field below
	waits bool
}

// met is told of all that goes out, and says it with the mutex held.
func (e *expectation) met(status int, say func() error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if status == http.StatusContinue || status >= 200 {
		e.waits = false
	}
	return say()
}

// awaited is the body of such a visitor.
type awaited struct {
	io.Reader
	answer *streamAnswer
}

// Read asks for it, if nobody has.
func (a awaited) Read(p []byte) (int, error) {
	if err := a.answer.proceed(); err != nil {
		return 0, err
	}
	return a.Reader.Read(p)
}

func (a *streamAnswer) proceed() error {
	a.expects.mu.Lock()
	defer a.expects.mu.Unlock()
	if !a.expects.waits {
		return nil
	}
	a.expects.waits = false
	return a.interim(http.StatusContinue, nil)
}
