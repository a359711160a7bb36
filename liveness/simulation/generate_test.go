package simulation

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// generator draws scripts: the same seed, the same script.
type generator struct {
	*rand.Rand
	script script
	last   appLine // that a hand touched
	killed bool
}

func generate(seed uint64) script {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 0x5ead))}
	for range 1 + g.few(4) {
		g.script.hosts = append(g.script.hosts, g.host())
	}
	g.drawApps()
	for range 8 + g.IntN(16) {
		g.steps()
	}
	return g.script
}

// few is below n, and small more often than not.
func (g *generator) few(n int) int { return min(g.IntN(n), g.IntN(n)) }

func (g *generator) one(in int) bool { return g.IntN(in) == 0 }

func (g *generator) host() hostLine {
	return hostLine{podman: g.one(2), published: g.one(4), newest: g.one(2), quiet: g.one(4)}
}

func (g *generator) drawApps() {
	n := 1 + g.few(3)
	for i := range n {
		a := appLine{name: string(rune('a' + i)), max: 1 + g.few(4), seats: g.few(4), sleep: "remove", idle: -1,
			boot: g.ms(0, 50, 400, 3000), start: g.ms(5, 5, 100, 1500), create: g.ms(0, 20, 200, 1500)}
		a.min = g.IntN(a.max + 1)
		a.sticky, a.stopFirst, a.volumes = g.one(3), g.one(3), g.one(8)
		if g.one(2) {
			a.idle = time.Duration(1+g.IntN(8)) * time.Second
			a.sleep = pick(g, "remove", "stop", "pause")
		}
		if i > 0 && i == n-1 && g.one(2) {
			a = appLine{name: a.name, min: 1, max: 1, sticky: true, sleep: "remove", idle: -1, boot: a.boot, start: a.start, calm: true}
		}
		g.script.apps = append(g.script.apps, a)
	}
	g.last = g.script.apps[0]
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// ms is a time around one of the given.
func (g *generator) ms(around ...int) time.Duration {
	n := pick(g, around...)
	return time.Duration(n+g.IntN(n/2+1)) * time.Millisecond
}

func (g *generator) add(words ...string) { g.script.steps = append(g.script.steps, words) }

// steps adds what happens next, and some time after it.
func (g *generator) steps() {
	switch n := g.IntN(20); {
	case n < 7:
		g.hand()
	case n < 11:
		g.traffic()
	case n < 16:
		g.trouble()
	case n == 16:
		g.add(pick(g, "replace", "drain"), g.app())
	case n == 17 && !g.killed:
		g.killed = true
		g.add("crash", pick(g, "saved", "blank"), g.ms(0, 300, 3000).String())
	default:
		g.traffic()
	}
	g.add("wait", g.ms(1, 20, 200, 1000, 3000, 6000).String())
}

// app is the one that was touched last, more often than not: trouble finds company.
func (g *generator) app() string {
	if g.one(2) {
		return g.last.name
	}
	for {
		if g.last = pick(g, g.script.apps...); !g.last.calm {
			return g.last.name
		}
	}
}

func (g *generator) anyApp() string { return pick(g, g.script.apps...).name }

func (g *generator) hostIndex() string { return strconv.Itoa(g.IntN(len(g.script.hosts))) }

func (g *generator) nth() string { return strconv.Itoa(g.few(4)) }

func (g *generator) hand() {
	switch app := g.app(); g.IntN(18) {
	case 0, 1, 2:
		g.add("rm", app, g.nth())
	case 3, 4, 5:
		g.add("restart", app, g.nth(), g.ms(0, 5, 300, 3000).String())
	case 6, 7:
		g.add("stop", app, g.nth())
	case 8:
		g.add("kill", app, g.nth())
	case 9:
		g.add("pause", app, g.nth())
	case 10:
		g.add("unpause", app, g.nth())
	case 11, 12:
		g.add("start", app, g.nth())
	case 13:
		g.add("recreate", app, g.nth())
	case 14:
		g.add("commit", app, g.nth())
	case 15:
		g.add("behind", app, g.hostIndex())
	case 16:
		g.add("stranger", g.hostIndex())
	case 17:
		g.add("squat", app)
	}
}

func (g *generator) traffic() {
	switch app := g.anyApp(); g.IntN(7) {
	case 0, 1, 2, 3:
		g.add("visit", app, strconv.Itoa(1+g.few(4)), g.ms(0, 100, 2000, 10000).String())
	case 4, 5:
		g.add("sit", app, g.nth(), g.ms(0, 100, 2000).String())
	case 6:
		g.add("blame", app)
	}
}

var (
	faultyOps = []string{"any", "any", "look", "list", "inspect", "create", "create", "start", "start", "stop", "remove",
		"identity", "events", "pull"}
	troubles = []string{"status-500", "refused", "hang", "slow", "garbage", "lost-reply", "lost-reply", "late-reply",
		"late-reply", "omit", "late-death", "late-event", "lost-event", "swapped"}
)

func (g *generator) trouble() {
	host := g.hostIndex()
	switch g.IntN(14) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		g.add("fault", host, pick(g, faultyOps...), pick(g, troubles...), strconv.Itoa(g.IntN(6)), g.ms(5, 100, 1000, 4000).String())
	case 8, 9:
		g.add("heal", host)
	case 10:
		g.add("cut", host)
	case 11:
		g.add("down", host, pick(g, "keep", "keep", "lose"), g.ms(100, 3000, 12000).String())
	case 12:
		g.add("identity", host)
	case 13:
		g.add("swap", host, g.ms(100, 3000, 12000).String())
	}
}
