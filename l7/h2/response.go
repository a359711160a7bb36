package h2

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// isResponse checks what the framer cannot (RFC 9113 section 8.3.2).
func isResponse(f *http2.MetaHeadersFrame) bool {
	return len(f.PseudoFields()) == 1 && statusOf(f) >= 100 && statusOf(f) != 101 && !forbidden(f.RegularFields())
}

// statusOf is 0 for nonsense.
func statusOf(f *http2.MetaHeadersFrame) int {
	text := f.PseudoValue("status")
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || len(text) != 3 {
		return 0
	}
	return int(n)
}

func isFinal(f *http2.MetaHeadersFrame) bool { return statusOf(f) >= 200 }

// lengthOf is -1 if the app does not say. What is no length, or are several, is not ok.
func lengthOf(f *http2.MetaHeadersFrame) (length int64, ok bool) {
	length = -1
	for _, field := range f.RegularFields() {
		if field.Name != "content-length" {
			continue
		}
		n, err := strconv.ParseUint(field.Value, 10, 63)
		if err != nil || length >= 0 {
			return 0, false
		}
		length = int64(n)
	}
	return length, true
}

// measure takes note of the length of a response's body. One to HEAD, a 204 and a 304 have none, whatever they tell of; any
// other that ends with its header and tells of a body was cut off (RFC 9113 section 8.1.1).
func (s *Stream) measure(f *http2.MetaHeadersFrame) (ok bool) {
	s.declared, ok = lengthOf(f)
	if isBodiless(s.bodiless, statusOf(f)) {
		s.declared = 0
	}
	return ok && !(f.StreamEnded() && s.declared > 0)
}

func isBodiless(asked bool, status int) bool {
	return asked || status == http.StatusNoContent || status == http.StatusNotModified
}

// nextHead waits for the next header of a response.
func (s *Stream) nextHead() (*http2.MetaHeadersFrame, error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(s.heads) == 0 && s.err == nil && !s.inEnded {
		s.changed.Wait()
	}
	if len(s.heads) > 0 {
		f := s.heads[0]
		s.heads = s.heads[1:]
		return f, nil
	}
	return nil, verdict(s.err)
}

// verdict says what an end without an answer means: that the app has spoken, however badly, or that it is gone.
func verdict(err error) error {
	var reset http2.StreamError
	var ended http2.ConnectionError
	switch {
	case err == nil:
		return fmt.Errorf("%w: it has no header", h1.ErrResponse)
	case errors.Is(err, errUnseen):
		return err
	case errors.As(err, &reset) && reset.Code == http2.ErrCodeRefusedStream: // it is there, and has said so
		return fmt.Errorf("%w: %w", errUnseen, h1.ErrResponse)
	case errors.As(err, &reset), errors.As(err, &ended):
		return fmt.Errorf("%w: %w", h1.ErrResponse, err)
	case errors.Is(err, h1.ErrEnded), errors.Is(err, h1.ErrClosed), errors.Is(err, errLeft):
		return err
	}
	return fmt.Errorf("%w: %w", h1.ErrNoResponse, err)
}

// cancel ends a stream that is not over yet, for a reason of our own.
func (s *Stream) cancel(cause error) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s.reset(http2.ErrCodeCancel, cause)
	c.giveBack(s.body.discard())
	c.flush()
	s.stop(cause)
}
