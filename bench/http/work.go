package main

import (
	"slices"

	"github.com/fairlead/fairlead/bench/harness"
)

// work is one kind of load.
type work struct {
	name  string
	do    func(p *proxy) (harness.Load, error)
	idle  []string // instead of do: the loader's arguments for connections to hold
	conns int      // of those
	tls   bool     // of those
	among []string // empty: all but fairlead-all
	// What to reach: our CPU over the peer's, and the same with client and app; of idle connections, our own KiB for each.
	target, sum map[string]float64
}

// concerns says whether a proxy can do the work.
func (w *work) concerns(name string) bool {
	if len(w.among) == 0 {
		return name != full
	}
	return slices.Contains(w.among, name)
}

// judged is whose CPU is compared with the others'.
func (w *work) judged() string {
	if slices.Contains(w.among, full) {
		return full
	}
	return bare
}

func (w *work) address(p *proxy) string { return address(p, w.tls) }

func address(p *proxy, tls bool) string {
	if tls {
		return p.secure
	}
	return p.Address
}

// A browser's fields with a navigation; the twelfth, Host, is wrk's own.
var browser = []string{
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
	"Accept-Language: en-US,en;q=0.9,pt-BR;q=0.8",
	"Accept-Encoding: gzip, deflate, br, zstd",
	"Referer: http://127.0.0.1/start/page?with=query",
	"Cookie: theme=dark; _ga=GA1.1.1234567890.1700000000; consent=yes",
	"Sec-Fetch-Dest: document",
	"Sec-Fetch-Mode: navigate",
	"Sec-Fetch-Site: same-origin",
	"Upgrade-Insecure-Requests: 1",
	"Cache-Control: max-age=0",
}
