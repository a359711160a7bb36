package harness

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// Main runs a benchmark until it ends or is interrupted, and exits with 1 if it says why it failed.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Section is one benchmark's part of the results file, from the moment when it began.
type Section struct {
	pkg   string
	began time.Time
	load  string
}

// Begin notes the time and the machine's load. Pkg is what `go run` is given.
func Begin(pkg string) Section { return Section{pkg, time.Now(), LoadAverage()} }

// Print writes what came of it, and puts it into the results file under the title if it is to be kept.
func (s Section) Print(text, title string, kept bool) error {
	text = heading(s.pkg, s.began, s.load) + text
	fmt.Print("\n", text)
	if !kept {
		return nil
	}
	return keep(title, text)
}
