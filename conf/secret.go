package conf

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"strings"
)

// Secret is a text that no log, no error and no JSON ever shows. In the file it is a text or {file: PATH}.
type Secret struct{ text string }

// NewSecret wraps a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text. Call it where the secret is used, not where it is passed on.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is none.
func (s Secret) Empty() bool { return s.text == "" }

// String hides the text.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return "(secret)"
}

// Format hides the text from every verb: %d on a struct prints its fields, String or not.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// MarshalText hides the text, in JSON and YAML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// A key or a token is short, and a file by mistake must not fill the memory.
const secretLimit = 1 << 20

func (s *Secret) decode(v value) {
	if _, ok := v.raw.(map[string]any); !ok {
		v.str(reflect.ValueOf(&s.text).Elem(), true)
		return
	}
	var from struct {
		File string `conf:"file"`
	}
	if !v.into(&from) {
		return
	}
	if from.File == "" {
		v.fail("expected text or {file: PATH}")
		return
	}
	text, err := readLimited(v.get("file").file(from.File))
	if err != nil {
		v.get("file").fail("read the secret: %v", err)
		return
	}
	// Editors and `echo` end a file with a newline that is not part of the secret.
	s.text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// readLimited reads a regular file: opening a pipe or a terminal would wait for somebody to write.
func readLimited(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, secretLimit+1))
	if err != nil {
		return "", err
	}
	if len(b) > secretLimit {
		return "", fmt.Errorf("%s is larger than %d bytes", path, secretLimit)
	}
	return string(b), nil
}
