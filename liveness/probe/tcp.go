package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// held is how long a connection through a port forwarder must stay open: one to an app that does not listen ends
// after 1.5 ms on Docker and 191 ms on rootless Podman.
const held = 300 * time.Millisecond

func (p Prober) tcp(ctx context.Context, check Check) error {
	dialing, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	conn, err := p.connect(dialing, check)
	if err != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, err)
	}
	defer closing(ctx, conn)()
	if check.Direct {
		return nil
	}
	if err := conn.SetReadDeadline(time.Now().Add(held)); err != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, err)
	}
	// An app that speaks first has shown that it is there; one that waits for the client must not be spoken to, since
	// nobody knows its language.
	n, err := conn.Read(make([]byte, 1))
	if n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, timely(ctx, err))
	}
	return fmt.Errorf("connect %s: %w: %w", check.Addr, ErrEnded, err)
}
