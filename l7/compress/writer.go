package compress

import (
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Writer encodes what is written to it.
type Writer struct {
	encoder
	kept *sync.Pool
}

type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// level of gzip: beyond it, time doubles for a few percent.
const level = 5

// window of zstd: what a browser must remember of us (RFC 9659 allows 8 MiB), and most of what an encoder takes.
const window = 512 << 10

var writers = [...]sync.Pool{
	Gzip: {New: func() any {
		w, err := gzip.NewWriterLevel(nil, level)
		return made(w, err)
	}},
	Zstd: {New: func() any {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedDefault))
		return made(w, err)
	}},
}

// made cannot fail: the options are constants.
func made(w encoder, err error) encoder {
	if err != nil {
		panic(err)
	}
	return w
}

// NewWriter encodes towards w. One of Close and Drop ends it.
func NewWriter(c Coding, w io.Writer) *Writer {
	kept := &writers[c]
	e := kept.Get().(encoder)
	e.Reset(w)
	return &Writer{encoder: e, kept: kept}
}

// Close writes the end. The Writer must not be used again.
func (w *Writer) Close() error {
	err := w.encoder.Close()
	w.Drop()
	return err
}

// Drop ends without an end. The Writer must not be used again; after Close it does nothing.
func (w *Writer) Drop() {
	if w.encoder == nil {
		return
	}
	w.encoder.Reset(nil)
	w.kept.Put(w.encoder)
	w.encoder = nil
}
