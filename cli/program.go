package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/conf"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2 // the command line or the configuration is wrong
)

// Run serves until it is told to stop. The source was loaded once already and was valid.
type Run func(ctx context.Context, source conf.Source, log *slog.Logger) error

// Program is the command line in its surroundings.
type Program struct {
	Version        string
	Run            Run
	Environ        []string // as os.Environ gives it
	Stdout, Stderr io.Writer
	Now            func() time.Time // nil: time.Now

	files   []string // --config
	admin   string   // --admin
	token   string   // --token
	started bool     // the command line was understood
}

// Main runs the process's own command line and returns its exit code.
func Main(version string, run Run) int {
	p := Program{Version: version, Run: run, Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}
	return p.Execute(context.Background(), os.Args[1:])
}

// Execute runs one command line and returns its exit code. Use a Program once.
func (p *Program) Execute(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	p.report(err)
	if !p.started || errors.Is(err, errUsage) || errors.Is(err, conf.ErrInvalid) {
		return exitUsage
	}
	return exitFailed
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "fairlead",
		Short:             "Starts the container that a connection needs, and keeps traffic on it",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRun:  func(*cobra.Command, []string) { p.started = true },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	flags := root.PersistentFlags()
	flags.StringArrayVarP(&p.files, "config", "c", nil, "configuration `file` or directory (FAIRLEAD_CONFIG); may be repeated")
	flags.StringVar(&p.admin, "admin", "", "`address` of the admin API: host:port or unix:///path (FAIRLEAD_ADMIN)")
	flags.StringVar(&p.token, "token", "", "admin `token`; others may see it here, better use FAIRLEAD_TOKEN")
	root.AddCommand(
		p.runCommand(), p.checkCommand(), p.reloadCommand(),
		p.statusCommand(), p.usageCommand(), p.eventsCommand(), p.logsCommand(), p.hostsCommand(),
		p.wakeCommand(), p.sleepCommand(), p.restartCommand(), p.cleanCommand(),
		p.doctorCommand(), p.versionCommand(),
	)
	return root
}

func (p *Program) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

// env returns a variable; the last one of a name wins, as for a process.
func (p *Program) env(name string) (value string) {
	for _, entry := range p.Environ {
		if len(entry) > len(name) && entry[:len(name)] == name && entry[len(name)] == '=' {
			value = entry[len(name)+1:]
		}
	}
	return value
}
