// Command l4 sends the same TCP and UDP work through Fairlead and through its peers, in turns, to the same app in a
// container, and prints what each spends.
//
//	make build && go run ./bench/l4                          # all work, 7 rounds of 2 s
//	go run ./bench/l4 -only 'messages' -rounds 3 -for 1s
//	go run ./bench/l4 -write                                 # keep the table in bench/RESULTS.md
//	go run ./bench/l4 -only 'messages' -profile              # what Fairlead does with its CPU, instead
//
// nginx and haproxy are Debian's (scripts/packages.sh haproxy nginx-light libnginx-mod-stream); one that is not there is
// left out, and why is said. haproxy knows no UDP. All listen on loopback, dial the container's own address, and write
// no log of connections. A ratio is the median of the rounds' own ratios.
package main

import (
	"context"
	"flag"
	"regexp"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

type options struct {
	rounds  int
	during  time.Duration
	only    string
	proxies string
	idle    int
	keep    bool
	profile bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "rounds; in each every proxy has its turn")
	flag.DurationVar(&o.during, "for", 2*time.Second, "how long a turn is")
	flag.StringVar(&o.only, "only", "", "work whose name this `regexp` finds")
	flag.StringVar(&o.proxies, "proxies", "fairlead,nginx,haproxy", "whom to measure")
	flag.IntVar(&o.idle, "idle", 7500, "idle connections")
	flag.BoolVar(&o.keep, "write", false, "keep the table in "+harness.ResultsFile)
	flag.BoolVar(&o.profile, "profile", false, "profile Fairlead under the first work that -only finds, instead")
	flag.Parse()
	harness.Main("bench/l4", o.run)
}

func (o options) run(ctx context.Context) error {
	section := harness.Begin("./bench/l4")
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
	b := &bench{options: o, run: run}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if o.profile {
		return b.profiled(ctx, only)
	}
	for _, w := range b.works() {
		if ctx.Err() == nil && only.MatchString(w.name) {
			b.measure(ctx, w)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var said strings.Builder
	b.report(&said)
	return section.Print(b.notes()+said.String(), o.title(), o.keep)
}

// title of the kept section: a part of the work is kept beside the whole, and does not replace it.
func (o options) title() string {
	if o.only != "" {
		return "TCP and UDP: " + o.only
	}
	return "TCP and UDP"
}
