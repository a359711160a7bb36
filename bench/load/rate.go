package main

import (
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

// atRate sends at times that are fixed beforehand, and counts latency from those: a proxy that is late with one answer
// is charged for those that wait behind it as well.
func (o options) atRate() (harness.Load, error) {
	interval := time.Second * time.Duration(o.conns) / time.Duration(o.rate)
	begin := time.Now().Add(100 * time.Millisecond)
	made, err := o.side(func(i int, t *tally) error {
		c, err := o.open()
		if err != nil {
			return err
		}
		defer c.Close()
		due := begin.Add(interval * time.Duration(i) / time.Duration(o.conns))
		for end := begin.Add(o.during); due.Before(end); due = due.Add(interval) {
			time.Sleep(time.Until(due))
			if err := c.get(); err != nil {
				return err
			}
			t.took(time.Since(due))
		}
		return nil
	})
	made.Seconds = time.Since(begin).Seconds()
	return made, err
}
