package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"syscall"
)

var errLocked = errors.New("another Fairlead of this instance serves this engine; give one of them another `instance`")

// lock is held for as long as this process serves an engine: an abstract unix socket (unix(7)), which the kernel frees
// whatever way the process ends.
type lock struct{ listener net.Listener }

func acquire(identity, instance string) (*lock, error) {
	sum := sha256.Sum256([]byte(identity))
	name := fmt.Sprintf("@fairlead/%s/%s", instance, hex.EncodeToString(sum[:8]))
	listener, err := net.Listen("unix", name)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, errLocked
	}
	if err != nil {
		return nil, fmt.Errorf("lock the engine: %w", err)
	}
	return &lock{listener}, nil
}

func (l *lock) release() {
	if l != nil {
		_ = l.listener.Close() // an abstract socket leaves nothing behind
	}
}
