// Command figures measures what Fairlead adds to what engines and apps take: to a cold start, to a recovery, to the
// machine while nothing happens.
//
//	make build && go run ./bench/figures                 # on Docker
//	go run ./bench/figures -only 'cold start'
//	go run ./bench/figures -write                        # keep the table in bench/RESULTS.md
//
// A tap between Fairlead and the engine's socket notes when a create was sent and when a start returned; the app says
// when it began to listen. All clocks are this machine's. Medians, with the highest beside them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

type options struct {
	rounds int
	only   string
	keep   bool
}

// bench is one run; each figure adds its rows to the table.
type bench struct {
	options
	run     *harness.Run
	url     string
	outside *harness.Outside
	table   harness.Table
}

type figure struct {
	name    string
	measure func(ctx context.Context, b *bench) error
}

var figures = []figure{
	{"cold start", coldStarts},
	{"start and idle", startAndIdle},
	{"warm requests and the engine", warm},
	{"pass", pass},
	{"lookup and pick", picks},
	{"hint", hints},
	{"death to suspect", deaths},
	{"recovery", recoveries},
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 10, "times that each is measured")
	flag.StringVar(&o.only, "only", "", "figures whose name this `regexp` finds")
	flag.BoolVar(&o.keep, "write", false, "keep the table in "+harness.ResultsFile)
	flag.Parse()
	harness.Main("bench/figures", o.run)
}

func (o options) run(ctx context.Context) error {
	section := harness.Begin("./bench/figures")
	if err := harness.CheckBinary(); err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	run, err := harness.NewRun()
	if err != nil {
		return err
	}
	defer run.Close()
	b := &bench{options: o, run: run, url: harness.EngineURL("docker")}
	if b.outside, err = run.NewOutside(b.url); err != nil {
		return err
	}
	if _, err := image.Build(ctx, b.url); err != nil {
		return err
	}
	for _, f := range figures {
		if !only.MatchString(f.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, f.name)
		if err := f.measure(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	var said strings.Builder
	b.table.Head = []string{"figure", "measured", "to reach", "of"}
	b.table.Write(&said)
	return section.Print(said.String(), "Figures", o.keep)
}

// add a row with the median of some durations and the highest of them.
func (b *bench) add(name, goal string, taken []time.Duration) {
	b.table.Add(name, fmt.Sprintf("%s (highest %s)", ms(harness.Median(taken)), ms(harness.Quantile(taken, 1))), goal,
		fmt.Sprintf("median of %d", len(taken)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
