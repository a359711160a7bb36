package conf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSecretIsNeverShown(t *testing.T) {
	const text = "hunter2"
	held := struct {
		S Secret
		P *Secret
		M map[string]Secret
	}{NewSecret(text), new(Secret), map[string]Secret{"k": NewSecret(text)}}
	*held.P = NewSecret(text)
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+verb, held, held.S)
	}
	b, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	slog.New(slog.NewTextHandler(&out, nil)).Info("m", "s", held.S, "all", held)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "s", held.S, "all", held)
	if s := out.String(); strings.Contains(s, text) || strings.Contains(s, fmt.Sprintf("%x", text)) {
		t.Errorf("shown: %s", s)
	}
	if held.S.Reveal() != text {
		t.Error("the text is lost")
	}
}

// A pipe has no end, and a missing file must be known at load.
func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, secretLimit+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "large", "missing", ""} {
		p := refused(t, fmt.Sprintf("admin: {token: {file: %q}}", filepath.Join(dir, name)))
		if p.Key != "admin.token.file" {
			t.Errorf("%q: got %v", name, p)
		}
	}
}
