package conf

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

var testEnviron = []string{"HOME=/home/user", "TOKEN=s3cret-value", "PORT=8080", "EMPTY="}

// P10: every problem at once, each with its place.
func TestBadFiles(t *testing.T) {
	for _, path := range yamlFiles(t, "testdata/bad") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			_, err := Load(Source{Paths: []string{path}, Environ: testEnviron})
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("got %v, want ErrInvalid", err)
			}
			if strings.Contains(err.Error(), "s3cret-value") {
				t.Error("an error shows what a variable held")
			}
			golden(t, path, here(t, err.Error())+"\n")
		})
	}
}

// The golden file of a good one holds its warnings.
func TestGoodFiles(t *testing.T) {
	for _, path := range yamlFiles(t, "testdata/good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			config, err := Load(Source{Paths: []string{path}, Environ: testEnviron})
			if err != nil {
				t.Fatal(err)
			}
			var lines strings.Builder
			for _, p := range config.Warnings() {
				lines.WriteString(p.String() + "\n")
			}
			golden(t, path, lines.String())
		})
	}
}

func yamlFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filesOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// here takes the place of this checkout out of messages.
func here(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text, dir, "HERE")
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ".golden"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}
