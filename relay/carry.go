package relay

import (
	"errors"
	"io"
	"net"
)

// fromA moves what comes from A to its end: a half-close, or a failure of both directions.
func (t *tunnel) fromA() {
	err := t.write(t.b, t.options.EarlyA, &t.stats.AtoB)
	if err == nil {
		err = t.move(t.a, t.b, &t.stats.AtoB, nil)
	}
	if errors.Is(err, io.EOF) {
		err = t.handOn(t.b)
	}
	if err != nil {
		t.fail(err)
	}
}

// fromB is the other direction, which a guard follows.
func (t *tunnel) fromB() {
	err := t.write(t.a, t.options.EarlyB, &t.stats.BtoA)
	if err == nil {
		err = t.move(t.b, t.a, &t.stats.BtoA, t.endB)
	}
	if errors.Is(err, io.EOF) {
		err = t.lastWords()
	}
	if err != nil {
		t.fail(err)
	}
}

func (t *tunnel) lastWords() error {
	if guard := t.options.Guard; guard != nil {
		words, err := guard.Ending()
		if err == nil {
			err = t.write(t.a, words, &t.stats.BtoA)
		}
		if err != nil {
			return err
		}
	}
	return t.handOn(t.a)
}

func (t *tunnel) endB() {
	if t.options.EndB != nil && t.cause() == nil {
		t.options.EndB(t.stats.BtoA, t.asked.Load())
	}
}

// move reads and writes until an error, which is io.EOF at the end. Ended is told of one that is the sender's own.
func (t *tunnel) move(from, to net.Conn, count *int64, ended func()) error {
	var b buffer
	defer b.free()
	for {
		n, err := from.Read(b.bytes())
		if n > 0 {
			if err := t.write(to, b.bytes()[:n], count); err != nil {
				return err
			}
			b.fit(n)
		}
		if err != nil {
			if ended != nil {
				ended()
			}
			return err
		}
	}
}

func (t *tunnel) write(to net.Conn, p []byte, count *int64) error {
	if len(p) == 0 {
		return nil
	}
	t.silence.broken()
	n, err := to.Write(p)
	*count += int64(n)
	if t.options.Guard != nil && to == t.a {
		t.options.Guard.Sent(p[:n])
	}
	return err
}

// handOn tells the other side that no more will come. A side that is gone already shows in its own direction.
func (t *tunnel) handOn(to net.Conn) error {
	half, ok := to.(interface{ CloseWrite() error })
	if !ok {
		return ErrNoHalfClose
	}
	if to == t.b {
		t.asked.Store(true)
	}
	_ = half.CloseWrite()
	t.silence.halfClosed()
	return nil
}
