package cli

import "github.com/spf13/cobra"

func (p *Program) runCommand() *cobra.Command {
	var listen, set []string
	var level string
	c := &cobra.Command{
		Use:   "run -c FILE",
		Short: "Serve",
		Long:  "Serve, until SIGTERM or SIGINT ends it. SIGHUP, and a change of the file, apply the configuration anew.",
		Args:  none,
		RunE: func(c *cobra.Command, _ []string) error {
			flags, err := settings(set)
			if err != nil {
				return err
			}
			if len(listen) > 0 {
				flags["listen.http"] = listen
			}
			if level != "" {
				flags["log.level"] = level
			}
			return p.serve(c, flags)
		},
	}
	c.Flags().StringSliceVar(&listen, "listen", nil, "`address` for HTTP (listen.http); may be repeated")
	c.Flags().StringVar(&level, "log-level", "", "debug, info, warn or error (log.level)")
	c.Flags().StringArrayVar(&set, "set", nil, "`key=value` over the file, by dotted key; may be repeated")
	return c
}

// serve refuses an invalid configuration before anything begins.
func (p *Program) serve(c *cobra.Command, flags map[string]any) error {
	source := p.source(flags)
	config, err := p.load(source)
	if err != nil {
		return err
	}
	log := newLogger(p.Stderr, config.Log)
	for _, warning := range config.Warnings() {
		log.Warn(warning.String())
	}
	return p.Run(c.Context(), source, log)
}
