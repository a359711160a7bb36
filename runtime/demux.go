package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	frameHeader = 8 // stream number, three zeros, big-endian length: Docker's API, "attach to a container"
	systemError = 3 // the stream on which the engine reports its own failure
)

// Demultiplex turns an engine's framed log into plain bytes, standard output and error merged. What does not begin
// with a frame is the log of a container with a terminal and passes as it is. Closing it closes the source.
func Demultiplex(source io.ReadCloser) io.ReadCloser {
	return &demultiplexer{source: source}
}

type demultiplexer struct {
	source io.ReadCloser
	left   int64 // of the current frame
	lead   []byte
	begun  bool
	raw    bool
}

func (d *demultiplexer) Read(p []byte) (int, error) {
	if d.raw {
		return d.readRaw(p)
	}
	for d.left == 0 {
		if err := d.next(); err != nil {
			return 0, err
		}
		if d.raw {
			return d.readRaw(p)
		}
	}
	n, err := d.source.Read(p[:min(int64(len(p)), d.left)])
	d.left -= int64(n)
	if errors.Is(err, io.EOF) && d.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (d *demultiplexer) readRaw(p []byte) (int, error) {
	if len(d.lead) == 0 {
		return d.source.Read(p)
	}
	n := copy(p, d.lead)
	d.lead = d.lead[n:]
	return n, nil
}

// next reads a frame's header.
func (d *demultiplexer) next() error {
	header := make([]byte, frameHeader)
	n, err := io.ReadFull(d.source, header)
	first := !d.begun
	d.begun = true
	if first && n > 0 && !isFrame(header[:n]) {
		d.raw, d.lead = true, header[:n]
		return nil
	}
	if err != nil {
		return err
	}
	if !isFrame(header) {
		return fmt.Errorf("log stream: no frame where one should begin: % x", header)
	}
	d.left = int64(binary.BigEndian.Uint32(header[4:]))
	if header[0] == systemError {
		return d.failure()
	}
	return nil
}

func (d *demultiplexer) failure() error {
	said, err := io.ReadAll(io.LimitReader(d.source, min(d.left, 4096)))
	if err != nil {
		return err
	}
	return fmt.Errorf("log stream: the engine says: %s", bytes.TrimSpace(said))
}

func isFrame(header []byte) bool {
	return len(header) == frameHeader && header[0] <= systemError && bytes.Equal(header[1:4], []byte{0, 0, 0})
}

// Close closes the source.
func (d *demultiplexer) Close() error { return d.source.Close() }
