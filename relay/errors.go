package relay

import "errors"

var (
	// ErrIdle: neither side moved a byte for Options.Idle.
	ErrIdle = errors.New("connection was idle for too long")
	// ErrHalfClosed: one side had ended, and the other moved no byte for Options.HalfClosed.
	ErrHalfClosed = errors.New("connection was half-closed for too long")
	// ErrNoHalfClose: one side ended, and the other's connection has no way to hear of it but to be closed.
	ErrNoHalfClose = errors.New("the connection cannot be half-closed")
)
