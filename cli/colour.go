package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// colour is an SGR parameter (ECMA-48).
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// coloured wraps a text for a terminal; everything else gets it plain, as does who sets NO_COLOR (no-color.org).
func (p *Program) coloured(text string, c colour) string {
	if p.env("NO_COLOR") != "" || p.env("TERM") == "dumb" || !p.terminal() {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

func (p *Program) terminal() bool {
	file, ok := p.Stdout.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}
