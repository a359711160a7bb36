package conf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is what every error of Load is, by errors.Is.
var ErrInvalid = errors.New("configuration is not valid")

// Problem is one fault, or one doubt, about the configuration.
type Problem struct {
	File    string // or the name of an environment variable or flag
	Line    int    // 0 where lines mean nothing
	Key     string // dotted
	Message string
	Hint    string // what to write instead; may be empty
}

// String is "file:line: key: message (hint)", without the parts that are empty.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Errors is every problem that a Load found, by file and line.
type Errors struct{ Problems []Problem }

func (e *Errors) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (e *Errors) Unwrap() error { return ErrInvalid }

// notes collects problems while the rest goes on.
type notes struct{ list []Problem }

func (n *notes) add(p Problem) { n.list = append(n.list, p) }

func (n *notes) err() error {
	if len(n.list) == 0 {
		return nil
	}
	return &Errors{Problems: n.sorted()}
}

// sorted drops what a template or the defaults said already: each app that uses them decodes the same lines again.
func (n *notes) sorted() []Problem {
	type fault struct {
		file, key, message string
		line               int
	}
	seen := map[fault]bool{}
	var once []Problem
	for _, p := range n.list {
		f := fault{p.File, p.Key[strings.LastIndexByte(p.Key, '.')+1:], p.Message, p.Line}
		if p.Line == 0 {
			f.key = p.Key
		}
		if !seen[f] {
			seen[f] = true
			once = append(once, p)
		}
	}
	slices.SortStableFunc(once, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return once
}
