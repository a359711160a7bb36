package cli

import (
	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/conf"
)

func (p *Program) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check -c FILE",
		Short: "Say what is wrong with a configuration, all at once",
		Long:  "Say what is wrong with a configuration, all at once, each with file and line. Exit code 2 if anything is.",
		Args:  none,
		RunE: func(*cobra.Command, []string) error {
			config, err := p.load(p.source(nil))
			if err != nil {
				return err
			}
			for _, warning := range config.Warnings() {
				p.warn("%s", warning)
			}
			p.print("%s, %s: ok\n", counted(len(config.Apps), "app"), counted(routes(config), "route"))
			return nil
		},
	}
}

func routes(config *conf.Config) (n int) {
	for _, app := range config.Apps {
		n += len(app.Routes)
	}
	return n
}
