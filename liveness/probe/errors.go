package probe

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrNotReady: the time is over and no attempt has passed. It comes as a *NotReadyError.
	ErrNotReady = errors.New("not ready")
	// ErrExited: the container ended while it was being waited for. The cause is wrapped along with it.
	ErrExited = errors.New("container ended")
	// ErrEnded: the connection ended before it could prove anything. Behind a published port that means that the app
	// does not listen yet.
	ErrEnded = errors.New("connection ended at once")
	// ErrTimeout: an attempt got no answer in its time.
	ErrTimeout = errors.New("no answer")
	// ErrHead: the head of an answer is larger than any that is meant seriously.
	ErrHead = errors.New("head of the answer is too large")
	// ErrNoAddress: there is no address to try yet.
	ErrNoAddress = errors.New("no address")
	// ErrUnhealthy: the engine's own health check does not say healthy.
	ErrUnhealthy = errors.New("not healthy")
	// ErrCheck: the check itself makes no sense, so that trying again changes nothing.
	ErrCheck = errors.New("invalid check")
)

// StatusError is an answer over HTTP with a status that does not pass.
type StatusError struct {
	Path   string
	Status int
}

func (e *StatusError) Error() string { return fmt.Sprintf("GET %s → %d", e.Path, e.Status) }

// AnswerError is an app that said something else, or nothing, where an answer is looked at.
type AnswerError struct {
	Want  string
	Got   []byte
	Cause error // why no more of it came
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("answered %.100q, without %q: %v", e.Got, e.Want, e.Cause)
}

func (e *AnswerError) Unwrap() error { return e.Cause }

// NotReadyError is what remains of a wait without success. It matches ErrNotReady, the last failed attempt, and why the
// wait ended; it shows the last attempt, since that is what an operator can mend (case B166).
type NotReadyError struct {
	After time.Duration
	Last  error
	Cause error // of the context's end
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("%v after %s: %v", ErrNotReady, e.After.Round(time.Millisecond), e.Last)
}

func (e *NotReadyError) Unwrap() []error { return []error{ErrNotReady, e.Last, e.Cause} }
