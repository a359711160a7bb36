// Package image builds the demo app's image on an engine, from this repository alone: the app is compiled without
// cgo, packed FROM scratch, and sent through the engine's socket. No registry is asked for anything.
//
//	ref, err := image.Build(ctx, "unix:///var/run/docker.sock")
//
// Docker and Podman take the same call, the Docker build API with a tar. Go and this module's source must be there;
// an unchanged app is found in the engine's build cache. It pushes nothing and removes nothing.
package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// app is the package that the image runs.
const app = "github.com/fairlead/fairlead/integration/demo"

// Variant is a form of the demo image; it is the image's tag as well.
type Variant string

const (
	Plain  Variant = "latest" // nothing but the app
	Volume Variant = "volume" // declares VOLUME /data and keeps its counts there
	Health Variant = "health" // has a HEALTHCHECK, which Podman keeps only in Docker's image format
)

// Variants lists them all, Plain first.
func Variants() []Variant { return []Variant{Plain, Volume, Health} }

// Ref is the image's full name. The localhost/ matters: Podman's Docker API files a short name under docker.io/library.
func (v Variant) Ref() string { return "localhost/fairlead-demo:" + string(v) }

func (v Variant) containerfile() string {
	lines := "FROM scratch\nCOPY demo /demo\nEXPOSE 8080\nENTRYPOINT [\"/demo\"]\n"
	switch v {
	case Volume:
		lines += "ENV DEMO_DATA=/data\nVOLUME /data\n"
	case Health:
		lines += "HEALTHCHECK --interval=1s --timeout=3s CMD [\"/demo\", \"-check\"]\n"
	}
	return lines
}

// Build makes the plain demo image on the engine at dockerHost and returns its name.
func Build(ctx context.Context, dockerHost string) (ref string, err error) {
	return BuildVariant(ctx, dockerHost, Plain)
}

// BuildVariant makes one form of the demo image. It may take a minute when the compiler's cache is cold.
func BuildVariant(ctx context.Context, dockerHost string, variant Variant) (ref string, err error) {
	directory, err := os.MkdirTemp("", "fairlead-demo-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(directory)
	if err := Compile(ctx, filepath.Join(directory, "demo")); err != nil {
		return "", err
	}
	file := filepath.Join(directory, containerfile)
	if err := os.WriteFile(file, []byte(variant.containerfile()), 0o644); err != nil {
		return "", err
	}
	return variant.Ref(), BuildDirectory(ctx, dockerHost, directory, variant.Ref())
}

// Compile builds the demo app alone. It needs no cgo, so that the binary runs from scratch, and no paths, so that the same source gives the same
// image wherever it lies.
func Compile(ctx context.Context, to string) error {
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", to, app)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the demo app: %w\n%s", err, output)
	}
	return nil
}
