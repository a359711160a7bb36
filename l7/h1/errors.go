package h1

import (
	"errors"
	"fmt"
)

var (
	// ErrEnded: the target's start is over, or its address changed.
	ErrEnded = errors.New("the replica's start is over")
	// ErrClosed: the client was closed.
	ErrClosed = errors.New("the client is closed")
	// ErrNoResponse: the app closed the connection before the first byte of a response.
	ErrNoResponse = errors.New("the app closed the connection without a response")
	// ErrResponse: the response breaks the protocol; the text says how.
	ErrResponse = errors.New("malformed response")
	// ErrHeaderTooLarge: the response's header is larger than Client.MaxHeader, or has too many lines.
	ErrHeaderTooLarge = errors.New("the response's header is too large")
	// ErrUpgrade: the app switched to another protocol than it was asked for.
	ErrUpgrade = errors.New("invalid switch of protocols")
	// ErrRequest: the request cannot be written as HTTP/1.1; nothing was sent.
	ErrRequest = errors.New("invalid request")
	// ErrRequestBody: reading Request.Body failed, which is the visitor's doing, not the app's.
	ErrRequestBody = errors.New("read the request's body")
)

// Phase is where an exchange failed.
type Phase int

// The phases, in order.
const (
	Dialing Phase = iota
	Writing
	Reading
)

func (p Phase) String() string {
	return [...]string{"dial", "write the request", "read the response"}[p]
}

// Error says why there is no response, and what the app may know of the request. Err matches the sentinels above, the
// context's error if that is what ended the exchange, or the network's.
type Error struct {
	Phase     Phase
	Sent      bool // a byte of the request was written, to one connection
	Responded bool // a byte of a response came
	BodyRead  bool // Request.Body was read from, so that the request cannot be repeated
	Reused    bool // the last connection had served before
	// Published: the target is not the container's own address. There a connect proves nothing, and an end without
	// a byte may mean that the app does not even listen.
	Published bool
	Err       error
}

func (e *Error) Error() string { return fmt.Sprintf("%v: %v", e.Phase, e.Err) }

func (e *Error) Unwrap() error { return e.Err }
