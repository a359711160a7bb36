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
)
