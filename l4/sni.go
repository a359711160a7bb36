package l4

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// port is what a TCP listener leads to: one route, or one for each server name and one for what none of them takes.
type port struct {
	plain *route // nil: the rest is reset
	names map[string]*route
}

// find returns the route of a server name: its own, else that of its parent's star, else the plain one.
func (p *port) find(name string) *route {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if r := p.names[name]; r != nil {
		return r
	}
	if _, parent, ok := strings.Cut(name, "."); ok {
		if r := p.names["*."+parent]; r != nil {
			return r
		}
	}
	return p.plain
}

// choose finds the connection's route. Only where there are names is anything read for it: a server that speaks first
// needs a listener without (case B143).
func (c *connection) choose(p *port) error {
	if p == nil {
		return errNoRoute
	}
	if len(p.names) == 0 {
		c.route = p.plain
		return nil
	}
	name := ""
	err := c.peek(func(said []byte) (err error) {
		if err := c.sslRequest(&said); err != nil {
			return err
		}
		name, err = serverName(said)
		return err
	})
	switch {
	case err == nil:
		c.route = p.find(name)
	case errors.Is(err, errNoTLS), errors.Is(err, errNothing), errors.Is(err, errTooLong):
		c.route = p.plain
	default:
		return err
	}
	if c.route == nil {
		return errNoRoute
	}
	return nil
}

// PostgreSQL's requests that come before TLS, from the protocol's chapter "SSL Session Encryption".
var (
	sslRequest = []byte{0, 0, 0, 8, 4, 210, 22, 47}
	gssRequest = []byte{0, 0, 0, 8, 4, 210, 22, 48}
)

// sslRequest gives a PostgreSQL client the answer that it waits for before its ClientHello. It is cut off what the app
// gets as the client's word: the app is asked again, when it is known which one.
func (c *connection) sslRequest(said *[]byte) error {
	switch {
	case c.postgres, len(c.early) == 0:
	case bytes.Equal(c.early, gssRequest):
		return c.answer('N')
	case bytes.Equal(c.early, sslRequest):
		c.postgres = true
		return c.answer('S')
	case len(c.early) < len(sslRequest) && bytes.HasPrefix(sslRequest[:7], c.early[:min(len(c.early), 7)]):
		return errMore
	}
	*said = c.early
	return nil
}

func (c *connection) answer(letter byte) error {
	c.early = nil
	if _, err := c.client.Write([]byte{letter}); err != nil {
		return errGone
	}
	return errMore
}

var errNoTLSInApp = errors.New("the app does not take TLS")

// sslAsk asks the app what its client was promised.
func (c *connection) sslAsk(app net.Conn) error {
	if !c.postgres {
		return nil
	}
	_ = app.SetDeadline(time.Now().Add(peekFor))
	defer func() { _ = app.SetDeadline(time.Time{}) }()
	answer := make([]byte, 1)
	if _, err := app.Write(sslRequest); err != nil {
		return err
	}
	if _, err := io.ReadFull(app, answer); err != nil {
		return err
	}
	if answer[0] != 'S' {
		return errNoTLSInApp
	}
	return nil
}
