package simulated

import "errors"

// What a caller sees of a scripted fault, unless the Fault brings its own error.
var (
	// ErrInternal stands for a 500 of the engine.
	ErrInternal = errors.New("simulated: status 500")
	// ErrLost: the connection ended before the reply.
	ErrLost = errors.New("simulated: connection reset before the reply")
	// ErrGarbage: the reply could not be decoded.
	ErrGarbage = errors.New("simulated: invalid character '<' looking for beginning of value")
	// ErrHung ends a call that hung until the fault was lifted.
	ErrHung = errors.New("simulated: hung until the fault was lifted")
	// ErrCut is in the last event of a stream that was cut.
	ErrCut = errors.New("simulated: event stream cut")
	// ErrState: the container's condition does not allow the action.
	ErrState = errors.New("simulated: container state improper")
	// ErrExhausted: the address pool is empty.
	ErrExhausted = errors.New("simulated: no free address")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("simulated: engine is closed")
)
