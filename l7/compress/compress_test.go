package compress

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestChoose(t *testing.T) {
	for accept, want := range map[string]Coding{
		"":                                 None,
		"gzip":                             Gzip,
		"X-GZIP":                           Gzip,
		"gzip, deflate, br, zstd":          Zstd,
		"gzip;q=1.0, zstd;q=0.5":           Gzip,
		"gzip;q=0.5 , zstd; q=0.5":         Zstd,
		"gzip;q=0, zstd;q=0":               None,
		"*":                                Zstd,
		"*;q=0.1, gzip;q=0.2":              Gzip,
		"zstd;q=0, *":                      Gzip,
		"identity, *;q=0":                  None,
		"identity;q=1, gzip;q=0.5":         None,
		"identity;q=0.5, gzip;q=1":         Gzip,
		"gzip;q=2":                         None,
		"gzip;q=x, br":                     None,
		"gzip;level=5":                     None,
		"br;q=1, deflate":                  None,
		strings.Repeat("a,", 100) + "gzip": Gzip,
	} {
		if got := Choose(accept); got != want {
			t.Errorf("%q: got %s, want %s", accept, got, want)
		}
	}
}

func TestSuits(t *testing.T) {
	for kind, want := range map[string]bool{
		"text/html; charset=utf-8": true, "TEXT/CSS": true, "application/json": true, "application/problem+json": true,
		"image/svg+xml": true, "application/wasm": true,
		"text/event-stream; charset=utf-8": false, "image/png": false, "": false, "application/grpc": false, "application/grpc+json": false, "application/grpc-web+json": false,
		"application/octet-stream": false, "application/gzip": false, "video/mp4": false,
	} {
		if got := Suits(kind); got != want {
			t.Errorf("%q: %v", kind, got)
		}
	}
}

func TestWritersAreGoodForAnotherAnswer(t *testing.T) {
	var work sync.WaitGroup
	for _, coding := range []Coding{Gzip, Zstd} {
		for range 8 {
			work.Go(func() {
				for i := range 20 {
					text := strings.Repeat("some text ", i*500)
					var out bytes.Buffer
					w := NewWriter(coding, &out)
					if i%5 == 4 { // one that was cut
						_, _ = io.WriteString(w, text)
						w.Drop()
						continue
					}
					if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
						t.Errorf("%s: %v", coding, err)
					}
					w.Drop()
					if got := decoded(t, coding, out.Bytes()); got != text {
						t.Errorf("%s: %d bytes of %d came back", coding, len(got), len(text))
					}
				}
			})
		}
	}
	work.Wait()
}

// What was flushed can be read, before there is an end.
func TestFlush(t *testing.T) {
	for _, coding := range []Coding{Gzip, Zstd} {
		in, out := io.Pipe()
		w := NewWriter(coding, out)
		go func() {
			_, _ = io.WriteString(w, "first")
			_ = w.Flush()
		}()
		var from io.Reader
		if coding == Gzip {
			from, _ = gzip.NewReader(in)
		} else {
			from, _ = zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		}
		got := make([]byte, 5)
		if _, err := io.ReadFull(from, got); err != nil || string(got) != "first" {
			t.Errorf("%s: %q, %v", coding, got, err)
		}
	}
}

func decoded(t *testing.T, coding Coding, raw []byte) string {
	t.Helper()
	var from io.Reader
	var err error
	if coding == Gzip {
		from, err = gzip.NewReader(bytes.NewReader(raw))
	} else {
		from, err = zstd.NewReader(bytes.NewReader(raw))
	}
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
