package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/admin"
)

func (p *Program) logsCommand() *cobra.Command {
	var o admin.LogOptions
	c := &cobra.Command{
		Use:   "logs APP",
		Short: "Show the output of an app's container",
		Args:  one("APP"),
		RunE: p.connected(func(c *cobra.Command, conn *connection, args []string) error {
			ctx, stop := interruptible(c)
			defer stop()
			err := p.logs(ctx, conn, args[0], o)
			if errors.Is(err, context.Canceled) {
				return nil // Ctrl-C is how following ends
			}
			return conn.doing(err, "read the logs of %s", args[0])
		}),
	}
	c.Flags().BoolVarP(&o.Follow, "follow", "f", false, "go on as it comes")
	c.Flags().BoolVarP(&o.Previous, "previous", "p", false, "the end of the output of the last container that ended or failed to start")
	c.Flags().IntVarP(&o.Tail, "tail", "n", 0, "the last `lines`; 0: all")
	c.Flags().StringVar(&o.Replica, "replica", "", "of that `replica`; left out: the newest")
	return c
}

func (p *Program) logs(ctx context.Context, conn *connection, app string, o admin.LogOptions) error {
	output, err := conn.Logs(ctx, app, o)
	if err != nil {
		return err
	}
	defer output.Close()
	_, err = io.Copy(p.Stdout, output)
	return err
}
