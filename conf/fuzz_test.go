package conf

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// P10: whatever the bytes, Load answers with a configuration or with problems, and does not panic.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	path := filepath.Join(f.TempDir(), "fuzz.yaml")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		config, err := Load(Source{Paths: []string{path}, Environ: testEnviron})
		if (config == nil) == (err == nil) || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("got %v and %v", config, err)
		}
	})
}
