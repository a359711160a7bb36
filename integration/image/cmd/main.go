// Command cmd builds the demo images on an engine, or any directory with a Containerfile:
//
//	go run ./integration/image/cmd -engine unix:///var/run/docker.sock
//	go run ./integration/image/cmd -engine unix:///run/podman/podman.sock -directory build/image -tag localhost/fairlead:latest
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/fairlead/fairlead/integration/image"
)

func main() {
	engine := flag.String("engine", "unix:///var/run/docker.sock", "the engine's socket")
	directory := flag.String("directory", "", "build this directory instead of the demo images")
	tag := flag.String("tag", "", "the full name for what -directory makes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *engine, *directory, *tag); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, engine, directory, tag string) error {
	if directory != "" {
		return image.BuildDirectory(ctx, engine, directory, tag)
	}
	for _, variant := range image.Variants() {
		ref, err := image.BuildVariant(ctx, engine, variant)
		if err != nil {
			return err
		}
		fmt.Println(ref)
	}
	return nil
}
