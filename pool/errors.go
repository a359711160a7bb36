package pool

import "errors"

var (
	// ErrAtMax: every slot up to replicas.max is taken, reservations and draining rows included.
	ErrAtMax = errors.New("replicas.max is reached")
	// ErrKnown: a row of that replica id exists already.
	ErrKnown = errors.New("replica is in the pool already")
	// ErrClosed: the app was removed from the configuration.
	ErrClosed = errors.New("app is closed")
)
