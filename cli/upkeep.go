package cli

import "github.com/spf13/cobra"

func (p *Program) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Have the configuration read again",
		Args:  none,
		RunE: p.connected(func(c *cobra.Command, conn *connection, _ []string) error {
			// Bounded by the server: it answers when the configuration is applied, or refused.
			if err := conn.Reload(c.Context()); err != nil {
				return conn.doing(err, "reload the configuration")
			}
			p.print("reloaded\n")
			return nil
		}),
	}
}

func (p *Program) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove the containers that this instance made",
		Args:  none,
		RunE: p.connected(func(c *cobra.Command, conn *connection, _ []string) error {
			removed, err := conn.Clean(c.Context()) // bounded by the server
			if err != nil {
				return conn.doing(err, "remove containers")
			}
			p.print("%s removed\n", counted(removed, "container"))
			return nil
		}),
	}
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  none,
		Run:   func(*cobra.Command, []string) { p.print("fairlead %s\n", p.Version) },
	}
}
