package conf

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// lineOf is the line in a message of the yaml package, which is where the block began that the fault is in, one off.
var lineOf = regexp.MustCompile(`line (\d+): `)

// Finding the line parses the file once a line.
const syntaxLines = 1000

// brokenLine is the line after the longest beginning of the file that parses; in a very long file, what the package says.
func brokenLine(b []byte, err error) int {
	lines := bytes.SplitAfter(b, []byte("\n"))
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil && len(lines) > syntaxLines {
		line, _ := strconv.Atoi(m[1])
		return line
	}
	for n, end := len(lines), len(b); n > 1 && len(lines) <= syntaxLines; n-- {
		end -= len(lines[n-1])
		err := yaml.NewDecoder(bytes.NewReader(b[:end])).Decode(&yaml.Node{})
		if err == nil || errors.Is(err, io.EOF) {
			return n
		}
	}
	return 1
}
