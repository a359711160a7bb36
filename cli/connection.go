package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/conf"
)

// connection is the way to a Fairlead that runs.
type connection struct {
	*admin.Client
	address string
	untold  error // why no token was found
}

// connect finds out where: --admin, else FAIRLEAD_ADMIN, else listen.admin of the configuration that -c or
// FAIRLEAD_CONFIG names, else its default. The token is found the same way, at last in the state directory. It connects
// to nothing yet.
func (p *Program) connect() (*connection, error) {
	address := cmp.Or(p.admin, p.env("FAIRLEAD_ADMIN"))
	token := cmp.Or(p.token, p.env("FAIRLEAD_TOKEN"))
	c := &connection{address: address}
	if address == "" || token == "" {
		config, err := conf.Load(p.source(nil))
		switch {
		case err == nil:
			c.address = cmp.Or(address, config.Listen.Admin)
			token, c.untold = tokenOf(token, config)
		case address == "":
			return nil, err
		default: // reads need no token: not a reason to stop
			c.untold = err
		}
	}
	if c.address == "" {
		return nil, hinted{error: errors.New("this fairlead has no admin API"), hint: "set listen.admin in its configuration"}
	}
	if strings.HasPrefix(c.address, conf.Systemd) {
		return nil, hinted{error: errors.New("the admin API listens on a socket that only systemd knows"),
			hint: "--admin or FAIRLEAD_ADMIN names its address, ListenStream= of the .socket unit"}
	}
	client, err := admin.NewClient(c.address, token)
	if err != nil {
		return nil, hinted{error: err, usage: true}
	}
	c.Client = client
	return c, nil
}

// connected makes a command's RunE of what it does with a Fairlead that runs.
func (p *Program) connected(run func(*cobra.Command, *connection, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		conn, err := p.connect()
		if err != nil {
			return err
		}
		return run(c, conn, args)
	}
}

func tokenOf(given string, config *conf.Config) (string, error) {
	if given != "" {
		return given, nil
	}
	if !config.Admin.Token.Empty() {
		return config.Admin.Token.Reveal(), nil
	}
	return admin.ReadToken(config.State)
}

// doing says what was being done, and about a refused token where one would be.
func (c *connection) doing(err error, format string, args ...any) error {
	if !errors.Is(err, admin.ErrToken) {
		return c.where(doing(err, format, args...))
	}
	if _, invalid := conf.AsErrors(c.untold); invalid {
		return c.untold // told line by line: they are why there is no token
	}
	if c.untold != nil {
		err = fmt.Errorf("%w: %w", err, c.untold)
	}
	return hinted{
		error: doing(err, format, args...),
		hint:  "run this as the user that runs fairlead, with the same -c FILE, or set FAIRLEAD_TOKEN",
	}
}

// where adds the address to an error that did not come from there, and what to do if nobody is.
func (c *connection) where(err error) error {
	var problem *admin.Problem
	if err == nil || errors.As(err, &problem) {
		return err
	}
	err = fmt.Errorf("%w (admin API at %s)", err, c.address)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return hinted{error: err, hint: "is fairlead running there? --admin or FAIRLEAD_ADMIN names another address, -c its configuration"}
	}
	return err
}
