package harness

import (
	"fmt"
	"io"
	"strings"
)

// Table prints as aligned Markdown.
type Table struct {
	Head []string
	Rows [][]string
}

// Add a row; cells that are left out are empty.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table.
func (t *Table) Write(to io.Writer) {
	widths := t.widths()
	t.line(to, t.Head, widths)
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", width)
	}
	t.line(to, rule, widths)
	for _, row := range t.Rows {
		t.line(to, row, widths)
	}
	fmt.Fprintln(to)
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], 3, len([]rune(cell)))
		}
	}
	return widths
}

func (t *Table) line(to io.Writer, cells []string, widths []int) {
	for i, width := range widths {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		fmt.Fprintf(to, "| %s%s ", cell, strings.Repeat(" ", width-len([]rune(cell))))
	}
	fmt.Fprintln(to, "|")
}
