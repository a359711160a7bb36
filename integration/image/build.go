package image

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

// containerfile is the name under which a build directory holds its instructions.
const containerfile = "Containerfile"

// BuildDirectory builds a directory with a Containerfile on the engine at dockerHost and names the result ref.
func BuildDirectory(ctx context.Context, dockerHost, directory, ref string) error {
	engine, err := client.NewClientWithOpts(client.WithHost(dockerHost), client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("reach the engine at %s: %w", dockerHost, err)
	}
	defer engine.Close()
	reader, writer := io.Pipe()
	defer reader.Close() // ends pack when the engine stops reading early
	go pack(directory, writer)
	options := build.ImageBuildOptions{Tags: []string{ref}, Dockerfile: containerfile, Remove: true, ForceRemove: true}
	response, err := engine.ImageBuild(ctx, reader, options)
	if err != nil {
		return fmt.Errorf("build %s on %s: %w", ref, dockerHost, err)
	}
	defer response.Body.Close()
	if err := drain(response.Body); err != nil {
		return fmt.Errorf("build %s on %s: %w", ref, dockerHost, err)
	}
	return nil
}

func pack(directory string, to *io.PipeWriter) {
	archive := tar.NewWriter(to)
	err := archive.AddFS(os.DirFS(directory))
	to.CloseWithError(errors.Join(err, archive.Close()))
}

// drain waits for the build's end: the engine says 200 first and reports a failed step only in the stream.
func drain(stream io.Reader) error {
	for decoder := json.NewDecoder(stream); ; {
		var message jsonmessage.JSONMessage
		if err := decoder.Decode(&message); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if message.Error != nil {
			return message.Error
		}
	}
}
