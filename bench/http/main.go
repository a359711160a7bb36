// Command http sends the same work through Fairlead and through its peers, in turns, to the same app in a container, and
// prints what each spends.
//
//	make build && go run ./bench/http                        # all work, 7 rounds of 2 s
//	go run ./bench/http -list                                # what -only can choose from
//	go run ./bench/http -only '100 B' -rounds 3 -for 1s
//	go run ./bench/http -write                               # keep the table in bench/RESULTS.md
//	go run ./bench/http -profile                             # what Fairlead does with its CPU, instead
//
// nginx, haproxy, wrk and h2load are Debian's (scripts/packages.sh nginx-light haproxy wrk nghttp2-client); caddy is
// built from Go modules. A proxy that is not there is left out, and why is said. All listen on loopback, dial the
// container's own address, and run with an access log of none. A ratio is the median of the rounds' own ratios.
package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
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
	list    bool
	keep    bool
	profile bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "rounds; in each every proxy has its turn")
	flag.DurationVar(&o.during, "for", 2*time.Second, "how long a turn is")
	flag.StringVar(&o.only, "only", "", "work whose name this `regexp` finds")
	flag.StringVar(&o.proxies, "proxies", "fairlead,fairlead-all,nginx,haproxy,caddy", "whom to measure; fairlead-all is Fairlead with everything on")
	flag.IntVar(&o.idle, "idle", 7500, "idle connections; of TLS at most 3,000")
	flag.BoolVar(&o.list, "list", false, "print the names of all work")
	flag.BoolVar(&o.keep, "write", false, "keep the table in "+harness.ResultsFile)
	flag.BoolVar(&o.profile, "profile", false, "profile Fairlead under the first work that -only finds, instead")
	flag.Parse()
	harness.Main("bench/http", o.run)
}

func (o options) run(ctx context.Context) error {
	b := &bench{options: o}
	chosen, err := b.choose()
	if err != nil || o.list {
		return err
	}
	if err := harness.CheckBinary(); err != nil {
		return err
	}
	section := harness.Begin("./bench/http")
	if b.run, err = harness.NewRun(); err != nil {
		return err
	}
	defer b.run.Close()
	if err := b.prepare(ctx, chosen); err != nil {
		return err
	}
	if o.profile {
		return b.profiled(ctx, chosen)
	}
	for _, w := range chosen {
		if ctx.Err() == nil {
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

// choose finds the work that was asked for, and prints its names if they were.
func (b *bench) choose() (chosen []work, err error) {
	only, err := regexp.Compile(b.only)
	if err != nil {
		return nil, err
	}
	chosen = slices.DeleteFunc(b.works(), func(w work) bool { return !only.MatchString(w.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no work is called %q", b.only)
	}
	if b.list {
		for _, w := range chosen {
			fmt.Println(w.name)
		}
	}
	return chosen, nil
}

// title of the kept section: a part of the work is kept beside the whole, and does not replace it.
func (o options) title() string {
	if o.only != "" {
		return "HTTP: " + o.only
	}
	return "HTTP"
}
