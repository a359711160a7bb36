package runtime

import "errors"

var (
	// ErrNotFound: the engine answered that there is no such container or image.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the name is taken.
	ErrConflict = errors.New("name is taken")
	// ErrInvalid: the engine refused the request as such; asking again changes nothing.
	ErrInvalid = errors.New("refused by the engine")
	// ErrStillRunning: a removal without force met a running container.
	ErrStillRunning = errors.New("still running")
	// ErrUnsupported: this engine cannot do that at all.
	ErrUnsupported = errors.New("not supported by this engine")
	// ErrNoHost: no host of that name is configured.
	ErrNoHost = errors.New("no such host")
	// ErrHostKeyUnknown: a machine at the other end of SSH shows a key that nobody vouched for.
	ErrHostKeyUnknown = errors.New("host key is unknown")
	// ErrHostKeyChanged: it shows another key than before.
	ErrHostKeyChanged = errors.New("host key has changed")
	// ErrNoKey: there is no private key to log in with.
	ErrNoKey = errors.New("none was found")
	// ErrPassphrase: the private key has one.
	ErrPassphrase = errors.New("has a passphrase")
)
