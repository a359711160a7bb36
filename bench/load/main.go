// Load is the client side of what wrk cannot do, as a process of its own. It prints one line of JSON (harness.Load).
//
//	load -mode rate -address 127.0.0.1:8080 -path /b/100 -conns 32 -rate 2000 -for 3s
//	load -mode visit -address 127.0.0.1:8443 -tls -conns 16              # connections, one request each
//	load -mode stream -address 127.0.0.1:8080 -path /b/1073741824        # whole bodies; counts MiB
//	load -mode h3   -address 127.0.0.1:8443 -path /b/1024 -conns 8 -streams 8
//	load -mode ws   -address 127.0.0.1:8080 -conns 64 -size 128 -for 3s
//	load -mode idle -address 127.0.0.1:8080 -path /b/100 -conns 7500     # holds them until its input ends
//	load -mode idlews -address 127.0.0.1:8080 -conns 7500
//	load -mode idleh3 -address 127.0.0.1:8443 -conns 5000
//
// With -tls, rate, visit, stream and idle speak TLS; no certificate is checked, and no session resumed.
//
// The rest speaks to bench/echo:
//
//	load -mode new  -address 127.0.0.1:8080 -conns 32 -size 64       # connections, one message each
//	load -mode echo -address 127.0.0.1:8080 -conns 64 -size 64
//	load -mode bulk -address 127.0.0.1:8080 -conns 4                 # counts MiB
//	load -mode udp  -address 127.0.0.1:8080 -conns 16 -window 16 -size 512 [-joined]
//	load -mode idletcp -address 127.0.0.1:8080 -conns 7500
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

type options struct {
	address string
	path    string
	conns   int
	rate    int
	size    int
	window  int
	streams int
	joined  bool
	tls     bool
	during  time.Duration
}

var modes = map[string]func(options) (harness.Load, error){
	"rate":    options.atRate,
	"visit":   options.visits,
	"stream":  options.stream,
	"h3":      options.http3,
	"ws":      options.echoes,
	"idle":    func(o options) (harness.Load, error) { return o.idle(closer(o.warm)) },
	"idlews":  func(o options) (harness.Load, error) { return o.idle(closer(o.socket)) },
	"idleh3":  func(o options) (harness.Load, error) { return o.idle(o.warmHTTP3()) },
	"new":     options.connections,
	"echo":    options.messages,
	"bulk":    options.bulk,
	"udp":     options.windows,
	"idletcp": func(o options) (harness.Load, error) { return o.idle(closer(o.echoing)) },
}

func main() {
	var o options
	mode := flag.String("mode", "", strings.Join(slices.Sorted(maps.Keys(modes)), ", "))
	flag.StringVar(&o.address, "address", "", "the proxy's")
	flag.StringVar(&o.path, "path", "/b/100", "to ask for")
	flag.IntVar(&o.conns, "conns", 32, "connections")
	flag.IntVar(&o.rate, "rate", 2000, "requests a second over all connections")
	flag.IntVar(&o.size, "size", 128, "bytes in a message")
	flag.IntVar(&o.window, "window", 1, "datagrams that a flow has under way")
	flag.IntVar(&o.streams, "streams", 1, "requests that an HTTP/3 connection has under way")
	flag.BoolVar(&o.tls, "tls", false, "speak TLS")
	flag.BoolVar(&o.joined, "joined", false, "send a window as one message (UDP_SEGMENT)")
	flag.DurationVar(&o.during, "for", 3*time.Second, "how long")
	flag.Parse()
	if err := run(*mode, o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(mode string, o options) error {
	work, ok := modes[mode]
	if !ok {
		return fmt.Errorf("no such mode: %q", mode)
	}
	made, err := work(o)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		return err
	}
	if strings.HasPrefix(mode, "idle") {
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return err
}
