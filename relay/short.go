package relay

import (
	"errors"
	"syscall"
)

// Short says whether an error is this machine's own want of descriptors or memory. It tells nothing of the other side.
func Short(err error) bool {
	for _, want := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}
