// Fairlead is one static binary in front of containers: it starts the one that a connection needs, keeps visitors on
// their replica, and goes on serving when containers are removed, restarted or moved behind its back.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/fairlead/fairlead/cli"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/daemon"
)

// version is set by the linker.
var version = "devel"

func main() {
	os.Exit(cli.Main(version, run))
}

func run(ctx context.Context, source conf.Source, log *slog.Logger) error {
	return daemon.Run(ctx, daemon.Options{Source: source, Version: version, Log: log})
}
