package runtime_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fairlead/fairlead/runtime"
)

func frame(stream byte, text string) string {
	header := make([]byte, 8)
	header[0] = stream
	binary.BigEndian.PutUint32(header[4:], uint32(len(text)))
	return string(header) + text
}

func TestDemultiplex(t *testing.T) {
	tests := map[string]struct {
		in, want string
		fails    bool
	}{
		"both streams":       {in: frame(1, "one\n") + frame(2, "two\n"), want: "one\ntwo\n"},
		"empty frame":        {in: frame(1, "") + frame(1, "x"), want: "x"},
		"empty log":          {},
		"terminal":           {in: "no frames here, 8 bytes and more", want: "no frames here, 8 bytes and more"},
		"short terminal log": {in: "hi", want: "hi"},
		"cut in a frame":     {in: frame(1, "hello")[:10], want: "he", fails: true},
		"cut in a header":    {in: frame(1, "hello") + "\x01\x00\x00", want: "hello", fails: true},
		"garbage later":      {in: frame(1, "hello") + "no frame", want: "hello", fails: true},
		"engine's error":     {in: frame(1, "hello") + frame(3, "disk is full"), want: "hello", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for how, in := range map[string]io.Reader{
				"at once":      strings.NewReader(test.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				out := runtime.Demultiplex(io.NopCloser(in))
				got, err := io.ReadAll(out)
				if string(got) != test.want || (err != nil) != test.fails {
					t.Errorf("%s: want %q and failure %v, got %q, %v", how, test.want, test.fails, got, err)
				}
			}
		})
	}
	broken := runtime.Demultiplex(io.NopCloser(iotest.ErrReader(errEngine)))
	if _, err := io.ReadAll(broken); !errors.Is(err, errEngine) {
		t.Errorf("want the source's error, got %v", err)
	}
}
