package l4

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// peekFor is how long a client may take to say what it wants, where that must be known before anything is dialled.
const peekFor = 5 * time.Second

var (
	errTooLong = errors.New("the client said more than is read of it before it is known what it wants")
	errNothing = errors.New("the client did not say in time what it wants")
)

// peek reads from the client until enough is content with what has come, and keeps it for the app. Its deadline is gone
// when it returns (case B143).
func (c *connection) peek(enough func(said []byte) error) error {
	_ = c.client.SetReadDeadline(time.Now().Add(peekFor))
	defer func() { _ = c.client.SetReadDeadline(time.Time{}) }()
	for {
		if err := enough(c.early); !errors.Is(err, errMore) {
			return err
		}
		if len(c.early) >= mostHello {
			return errTooLong
		}
		if err := c.readMore(); err != nil {
			return err
		}
	}
}

func (c *connection) readMore() error {
	buffer := chunks.Get().(*[chunk]byte)
	defer chunks.Put(buffer)
	n, err := c.client.Read(buffer[:min(chunk, mostHello-len(c.early))])
	c.early = append(c.early, buffer[:n]...)
	switch {
	case n > 0:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errNothing
	case errors.Is(err, io.EOF):
		return errGone
	}
	return fmt.Errorf("%w: %w", errGone, err)
}
