package tunnel

import "errors"

var (
	// ErrHostKeyUnknown: a machine at the other end of SSH shows a key that nobody vouched for.
	ErrHostKeyUnknown = errors.New("host key is unknown")
	// ErrHostKeyChanged: it shows another key than before.
	ErrHostKeyChanged = errors.New("host key has changed")
	// ErrNoKey: there is no private key to log in with.
	ErrNoKey = errors.New("none was found")
	// ErrPassphrase: the private key has one.
	ErrPassphrase = errors.New("has a passphrase")
)
