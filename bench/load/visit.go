package main

import (
	"fmt"
	"io"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

// visits opens connections, one after the other on each of conns sides, for one request each. The server ends them: so
// the client runs out of no ports.
func (o options) visits() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		for began := time.Now(); began.Before(end); began = time.Now() {
			if err := o.visit(); err != nil {
				return err
			}
			t.took(time.Since(began))
		}
		return nil
	})
}

func (o options) visit() error {
	c, err := o.open("Connection: close")
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.get(); err != nil {
		return err
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return fmt.Errorf("%d bytes and %v where the end should be", n, err)
	}
	return nil
}

// stream reads whole bodies until the time is over, at least one on each connection; it counts MiB.
func (o options) stream() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		c, err := o.open()
		if err != nil {
			return err
		}
		defer c.Close()
		for buffer := make([]byte, 64<<10); ; {
			if err := o.whole(c, buffer, t); err != nil || time.Now().After(end) {
				return err
			}
		}
	})
}

func (o options) whole(c *client, buffer []byte, t *tally) error {
	body, err := c.ask()
	if err != nil {
		return err
	}
	for began, bytes := time.Now(), 0; ; {
		n, err := body.Read(buffer)
		for bytes += n; bytes >= 1<<20; bytes -= 1 << 20 {
			t.took(time.Since(began))
			began = time.Now()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
