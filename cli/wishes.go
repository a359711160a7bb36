package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/pool"
)

func (p *Program) wakeCommand() *cobra.Command {
	var wait bool
	var timeout time.Duration
	c := p.wish("wake APP", "Start a replica of an app", func(c *cobra.Command, conn *connection, app string) (admin.App, error) {
		if !wait {
			timeout = 0
		}
		ctx, cancel := context.WithTimeout(c.Context(), answerBound+timeout)
		defer cancel()
		return conn.Wake(ctx, app, timeout)
	})
	c.Flags().BoolVarP(&wait, "wait", "w", false, "until it is ready")
	c.Flags().DurationVar(&timeout, "timeout", 2*time.Minute, "how long to wait, at most 10m")
	return c
}

func (p *Program) sleepCommand() *cobra.Command {
	return p.wish("sleep APP", "Let an app's replicas drain and go, until somebody wants one",
		func(c *cobra.Command, conn *connection, app string) (admin.App, error) {
			ctx, cancel := bounded(c)
			defer cancel()
			return conn.Sleep(ctx, app)
		})
}

func (p *Program) restartCommand() *cobra.Command {
	return p.wish("restart APP", "Replace an app's replicas by its update.order",
		func(c *cobra.Command, conn *connection, app string) (admin.App, error) {
			ctx, cancel := bounded(c)
			defer cancel()
			return conn.Restart(ctx, app)
		})
}

// wish is a command that asks something of one app and tells how the app is now.
func (p *Program) wish(use, about string, ask func(*cobra.Command, *connection, string) (admin.App, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: about, Args: one("APP")}
	c.RunE = p.connected(func(c *cobra.Command, conn *connection, args []string) error {
		app, err := ask(c, conn, args[0])
		if err != nil {
			return conn.doing(err, "%s %s", c.Name(), args[0])
		}
		p.print("%s: %s\n", app.Name, outcome(app))
		return nil
	})
	return c
}

// outcome leaves out who waits once the app serves: it is the operator himself who was counted.
func outcome(app admin.App) string {
	if app.State == pool.Ready.String() {
		return app.State
	}
	return appState(app)
}
