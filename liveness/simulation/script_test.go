package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// script is what is played: the stage's furniture, then the steps.
type script struct {
	hosts []hostLine
	apps  []appLine
	steps []step
}

// hostLine is one engine: host docker|podman [published] [newest] [quiet].
type hostLine struct {
	podman    bool
	published bool // reached by published ports
	newest    bool // the address freed last is given away first
	quiet     bool // its events are not wanted
}

// appLine is one app and its policy.
type appLine struct {
	name      string
	min, max  int
	seats     int
	sticky    bool
	sleep     string // remove, stop, pause
	idle      time.Duration
	stopFirst bool
	volumes   bool // the image has a VOLUME
	calm      bool // no hand touches it
	boot      time.Duration
	start     time.Duration // what the engine takes for it
	create    time.Duration
}

// step is one line: a verb and its words.
type step []string

func (s step) word(i int) string {
	if i < len(s) {
		return s[i]
	}
	return ""
}

func (s step) number(i int) int {
	n, _ := strconv.Atoi(s.word(i)) // a word that is missing counts as 0
	return n
}

func (s step) duration(i int) time.Duration {
	d, _ := time.ParseDuration(s.word(i))
	return d
}

func (s step) String() string { return strings.Join(s, " ") }

func (s script) String() string {
	var b strings.Builder
	for _, h := range s.hosts {
		fmt.Fprintln(&b, h)
	}
	for _, a := range s.apps {
		fmt.Fprintln(&b, a)
	}
	for _, st := range s.steps {
		fmt.Fprintln(&b, st)
	}
	return b.String()
}

func (h hostLine) String() string {
	words := []string{"host", "docker"}
	if h.podman {
		words[1] = "podman"
	}
	words = append(words, flags(h.published, "published", h.newest, "newest", h.quiet, "quiet")...)
	return strings.Join(words, " ")
}

func (a appLine) String() string {
	words := []string{"app", a.name}
	for _, pair := range [][2]string{
		{"min", strconv.Itoa(a.min)}, {"max", strconv.Itoa(a.max)}, {"seats", strconv.Itoa(a.seats)}, {"sleep", a.sleep},
		{"idle", a.idle.String()}, {"boot", a.boot.String()}, {"start", a.start.String()}, {"create", a.create.String()},
	} {
		words = append(words, pair[0]+"="+pair[1])
	}
	words = append(words, flags(a.sticky, "sticky", a.stopFirst, "stop-first", a.volumes, "volumes", a.calm, "calm")...)
	return strings.Join(words, " ")
}

// flags are pairs of a condition and its word.
func flags(pairs ...any) (words []string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[0].(bool) {
			words = append(words, pair[1].(string))
		}
	}
	return words
}

// parse reads what String writes. Empty lines and what follows # are nothing.
func parse(text string) (s script, err error) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "host":
			s.hosts = append(s.hosts, parseHost(words[1:]))
		case words[0] == "app":
			app, err := parseApp(words[1:])
			if err != nil {
				return s, fmt.Errorf("%q: %w", line, err)
			}
			s.apps = append(s.apps, app)
		case verbs[words[0]] == nil:
			return s, fmt.Errorf("%q: no such verb", line)
		default:
			s.steps = append(s.steps, words)
		}
	}
	if len(s.hosts) == 0 || len(s.apps) == 0 {
		return s, fmt.Errorf("a script needs a host and an app")
	}
	return s, nil
}

func parseHost(words []string) hostLine {
	has := func(word string) bool { return slices.Contains(words, word) }
	return hostLine{podman: has("podman"), published: has("published"), newest: has("newest"), quiet: has("quiet")}
}

func parseApp(words []string) (a appLine, err error) {
	a = appLine{name: words[0], max: 1, sleep: "remove", idle: -1}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if err := a.set(key, value); err != nil {
			return a, fmt.Errorf("%s: %w", word, err)
		}
	}
	return a, nil
}

func (a *appLine) set(key, value string) (err error) {
	switch key {
	case "min":
		a.min, err = strconv.Atoi(value)
	case "max":
		a.max, err = strconv.Atoi(value)
	case "seats":
		a.seats, err = strconv.Atoi(value)
	case "sleep":
		a.sleep = value
	case "idle":
		a.idle, err = time.ParseDuration(value)
	case "boot":
		a.boot, err = time.ParseDuration(value)
	case "start":
		a.start, err = time.ParseDuration(value)
	case "create":
		a.create, err = time.ParseDuration(value)
	case "sticky":
		a.sticky = true
	case "stop-first":
		a.stopFirst = true
	case "volumes":
		a.volumes = true
	case "calm":
		a.calm = true
	default:
		err = fmt.Errorf("no such word")
	}
	return err
}
