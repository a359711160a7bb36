package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// mostHeard is as much of an answer as is looked at.
const mostHeard = 64 << 10

// conversation says what the check says over TCP, and passes when the answer has what it expects.
func (p Prober) conversation(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	conn, err := p.connect(ctx, check)
	if err != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, err)
	}
	defer closing(ctx, conn)()
	if check.Send != "" {
		if _, err := io.WriteString(conn, check.Send); err != nil {
			return fmt.Errorf("ask %s: %w", check.Addr, timely(ctx, err))
		}
	}
	return hear(ctx, conn, check)
}

// hear reads until what is expected has come.
func hear(ctx context.Context, conn net.Conn, check Check) error {
	var heard []byte
	buffer := make([]byte, 4<<10)
	for len(heard) < mostHeard {
		n, err := conn.Read(buffer)
		heard = append(heard, buffer[:n]...)
		switch {
		case n > 0 && strings.Contains(string(heard), check.Expect):
			return nil
		case len(heard) == 0 && errors.Is(err, io.EOF):
			return fmt.Errorf("ask %s: %w: %w", check.Addr, ErrEnded, err)
		case err != nil:
			return &AnswerError{Want: check.Expect, Got: heard, Cause: timely(ctx, err)}
		}
	}
	return &AnswerError{Want: check.Expect, Got: heard, Cause: ErrHead}
}

// udp sends one datagram and passes when the answer is the expected one, or, where none is expected, when nobody has
// refused it for a while. Behind a published port a refusal never comes: there only an answer proves something.
func (p Prober) udp(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	conn, err := p.connect(ctx, check)
	if err != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, err)
	}
	defer closing(ctx, conn)()
	if _, err := io.WriteString(conn, check.Send); err != nil {
		return fmt.Errorf("ask %s: %w", check.Addr, timely(ctx, err))
	}
	if check.converses() {
		return hear(ctx, conn, check)
	}
	_ = conn.SetReadDeadline(time.Now().Add(held))
	_, err = conn.Read(make([]byte, 1))
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("ask %s: %w", check.Addr, timely(ctx, err))
}
