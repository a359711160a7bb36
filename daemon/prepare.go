package daemon

import (
	"net"

	"github.com/fairlead/fairlead/certs"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4"
	"github.com/fairlead/fairlead/l7"
	"github.com/fairlead/fairlead/relay"
)

// change is a configuration whose listeners are open, whose routes are made and whose certificates are read.
type change struct {
	certs  *certs.Change
	front  *l7.Change
	l4     *l4.Change
	http   *opening
	https  *opening
	trusts trusts
}

// prepare does all that can fail. An error leaves everything as it was.
func (d *daemon) prepare(next *conf.Config) (*change, error) {
	c := &change{}
	if err := c.take(d, next); err != nil {
		c.cancel()
		return nil, err
	}
	return c, nil
}

func (c *change) take(d *daemon, next *conf.Config) (err error) {
	if c.certs, err = d.certs.Prepare(next); err != nil {
		return err
	}
	if c.trusts, err = d.apps.trusts.next(next); err != nil {
		return err
	}
	if c.front, err = d.front.Prepare(next); err != nil {
		return err
	}
	if c.l4, err = d.l4.Prepare(next); err != nil {
		return err
	}
	open := d.opener(next)
	if c.http, err = d.http.prepare(next.Listen.HTTP, open); err != nil {
		return err
	}
	c.https, err = d.https.prepare(next.Listen.HTTPS, open)
	return err
}

// opener opens listeners beside those that the change closes.
func (d *daemon) opener(next *conf.Config) func(address string) (net.Listener, error) {
	running := d.config.Load()
	return func(address string) (net.Listener, error) {
		return relay.Listen(address, conf.Supersedes(running, next, "tcp", address))
	}
}

func (c *change) cancel() {
	if c.l4 != nil {
		c.l4.Cancel()
	}
	for _, listeners := range []*opening{c.http, c.https} {
		if listeners != nil {
			listeners.cancel()
		}
	}
}

// apply lets traffic in, so it comes last.
func (c *change) apply() {
	c.certs.Apply(certs.Ports{HTTP: c.http.port(), HTTPS: c.https.port()})
	c.front.Apply()
	c.l4.Apply()
	c.http.apply()
	c.https.apply()
}
