package harness

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// ResultsFile is where figures are kept, seen from the repository's root.
const ResultsFile = "bench/RESULTS.md"

// heading begins a section: the command that makes it anew, when it ran, and on what.
func heading(pkg string, began time.Time, load string) string {
	command := strings.Join(append([]string{"go run", pkg}, os.Args[1:]...), " ")
	return fmt.Sprintf("Made by `%s` on %s with %s.\n%s. Load average %s before, %s after.\n\n",
		command, began.UTC().Format("2006-01-02 15:04 UTC"), Release(Binary, "version"), Machine(), load, LoadAverage())
}

// keep replaces the section of that title in the results file, or adds it. Sections begin with "## ".
func keep(title, text string) error {
	old, err := os.ReadFile(ResultsFile)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(ResultsFile, []byte(replace(string(old), title, text)), 0o644)
}

func replace(old, title, text string) string {
	section := "## " + title + "\n\n" + strings.TrimSpace(text) + "\n"
	parts := strings.Split("\n"+old, "\n## ")
	for i, part := range parts[1:] {
		if strings.HasPrefix(part, title+"\n") {
			parts[i+1] = strings.TrimPrefix(section, "## ")
			return strings.TrimPrefix(strings.Join(parts, "\n## "), "\n")
		}
	}
	if old == "" {
		old = "# Results\n\nWritten by the programs beside this file, each its own section; `make bench` writes all of them."
	}
	return strings.TrimSpace(old) + "\n\n" + section
}
