package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/fairlead/fairlead/"

// allowed is the import table: what each package may import of ours. Traffic packages know no engine, so an engine's
// outage cannot stop traffic; liveness and scaler do not know each other, and meet in the pool's snapshots.
var allowed = map[string][]string{
	"conf":                {},
	"runtime":             {"runtime/tunnel"},
	"runtime/tunnel":      {},
	"runtime/credentials": {"runtime"},
	"runtime/docker":      {"runtime"},
	"runtime/systemd":     {},
	"runtime/podman":      {"runtime"},
	"runtime/simulated":   {"runtime"},
	"runtime/contract":    {"runtime"},
	"pool":                {},
	"journal":             {},
	"atomicfile":          {},
	"logfile":             {},
	"relay":               {"relay/loop"},
	"relay/loop":          {},
	"relay/fiber":         {"relay/loop"},
	"tracing":             {},
	"certs":               {"conf", "atomicfile"},
	"trust":               {},
	"trust/issuer":        {},
	"liveness/probe":      {"trust"},
	"readiness":           {"runtime", "pool", "liveness/probe", "trust"},
	"liveness":            {"runtime", "pool", "journal", "liveness/probe", "readiness"},
	"liveness/timeline":   {},
	"liveness/simulation": {},
	"scaler":              {"runtime", "pool", "journal", "liveness/probe", "readiness"},
	"l4":                  {"conf", "pool", "relay", "relay/loop", "journal", "l4/datagram"},
	"l4/datagram":         {},
	"l7":                  {"atomicfile", "conf", "pool", "relay", "journal", "trust", "l7/h1", "l7/compress", "l7/h2", "l7/h3", "l7/limit", "l7/page", "l7/fields"},
	"l7/fields":           {},
	"l7/h1":               {"relay", "relay/loop", "relay/fiber", "l7/fields", "trust"},
	"l7/compress":         {},
	"l7/limit":            {},
	"l7/h2":               {"relay", "l7/fields", "l7/h1"},
	"l7/h3":               {"l7/fields", "l7/h1", "l7/h2"},
	"l7/page":             {},
	"admin":               {"atomicfile", "conf", "pool", "runtime", "journal"},
	"cli":                 {"conf", "admin", "runtime", "runtime/tunnel", "journal", "pool", "cli/doctor"},
	"cli/doctor":          {"conf", "runtime"},
	"integration/demo":    {},
	"integration/image":   {},
}

// anything may be imported by what wires and by what tests from outside.
var anything = []string{"", "daemon", "integration", "bench"}

func TestImportTable(t *testing.T) {
	for path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue // tests may use the simulated engine and the contract
		}
		from := packageOf(path)
		rule, known := allowed[from]
		if slices.ContainsFunc(anything, func(free string) bool { return from == free || free != "" && strings.HasPrefix(from, free+"/") }) && !known {
			continue
		}
		if !known {
			t.Errorf("%s: package %s is not in the import table", path, from)
			continue
		}
		for _, imported := range imports(t, path) {
			if ours, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(rule, ours) {
				t.Errorf("%s: package %s must not import %s", path, from, ours)
			}
		}
	}
}

// Go's own package of that name is imported under another, so that `runtime` always means ours.
func TestGoRuntimeHasItsOwnName(t *testing.T) {
	for path := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"runtime"` && (spec.Name == nil || spec.Name.Name != "goruntime") {
				t.Errorf("%s: import runtime as goruntime", path)
			}
		}
	}
}

func TestNoFileIsTooLong(t *testing.T) {
	for path, text := range sources(t) {
		if n := strings.Count(text, "\n"); n > 600 {
			t.Errorf("%s has %d lines; split it by its ideas", path, n)
		}
	}
}

// sources returns the Go files of the module, read in this process: the test cache sees only what the test itself opens.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "testdata" || name == "bin" || strings.HasPrefix(name, ".") && name != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found only %d Go files: the walk is broken", len(files))
	}
	return files
}

func packageOf(path string) string {
	if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." {
		return dir
	}
	return ""
}

func imports(t *testing.T, path string) (paths []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, imported)
	}
	return paths
}
