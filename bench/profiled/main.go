// Profiled is Fairlead with a profiler on a unix socket, BENCH_PPROF; bench/http -profile runs it.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof" // registers itself at http.DefaultServeMux
	"os"

	"github.com/fairlead/fairlead/cli"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/daemon"
)

func main() {
	listener, err := net.Listen("unix", os.Getenv("BENCH_PPROF"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go serve(listener)
	os.Exit(cli.Main("profiled", run))
}

func serve(listener net.Listener) {
	fmt.Fprintln(os.Stderr, http.Serve(listener, nil))
}

func run(ctx context.Context, source conf.Source, log *slog.Logger) error {
	return daemon.Run(ctx, daemon.Options{Source: source, Version: "profiled", Log: log})
}
