package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

// ask is what wrk sends, as fast as answers come.
type ask struct {
	conns  int
	path   string
	header []string
	script bool // that posts
	tls    bool
}

func (b *bench) wrk(a ask) func(p *proxy) (harness.Load, error) {
	return func(p *proxy) (harness.Load, error) {
		args := []string{"-t2", "-c" + strconv.Itoa(a.conns), "-d" + seconds(b.during), "--latency"}
		for _, field := range withCookie(a.header, p.cookie) {
			args = append(args, "-H", field)
		}
		if a.script {
			args = append(args, "-s", b.upload)
		}
		return harness.Wrk(append(args, url(p, a.tls, a.path))...)
	}
}

// withCookie is the visitor's second visit, where the first got a session: a browser has one field for all cookies.
func withCookie(header []string, cookie string) []string {
	if cookie == "" {
		return header
	}
	with := slices.Clone(header)
	for i, field := range with {
		if strings.HasPrefix(field, "Cookie:") {
			with[i] = field + "; " + cookie
			return with
		}
	}
	return append(with, "Cookie: "+cookie)
}

// h2load has streams requests under way on each connection.
func (b *bench) h2load(conns, streams int, path string, tls bool) func(p *proxy) (harness.Load, error) {
	return func(p *proxy) (harness.Load, error) {
		return harness.H2load(b.run.Path("h2load.log"), "-c"+strconv.Itoa(conns), "-m"+strconv.Itoa(streams),
			"-D"+strconv.Itoa(wholeSeconds(b.during)), url(p, tls, path))
	}
}

// load is this repository's own loader.
func (b *bench) load(args ...string) func(p *proxy) (harness.Load, error) {
	secure := slices.Contains(args, "-tls")
	return func(p *proxy) (harness.Load, error) {
		return harness.Loader(b.loader, append(slices.Clone(args), "-for", b.during.String(), "-address", address(p, secure))...)
	}
}

// quic is the same over HTTP/3.
func (b *bench) quic(args ...string) func(p *proxy) (harness.Load, error) {
	return func(p *proxy) (harness.Load, error) {
		return harness.Loader(b.loader, append(slices.Clone(args), "-mode", "h3", "-for", b.during.String(), "-address", p.secure)...)
	}
}

func url(p *proxy, tls bool, path string) string {
	if tls {
		return "https://" + p.secure + path
	}
	return "http://" + p.Address + path
}

func seconds(d time.Duration) string { return strconv.Itoa(wholeSeconds(d)) + "s" }

// wholeSeconds is what wrk and h2load can be told.
func wholeSeconds(d time.Duration) int { return max(1, int(d.Seconds())) }
