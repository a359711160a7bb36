package conf

import (
	"slices"
	"testing"
	"time"
)

func TestInterpolate(t *testing.T) {
	environ := map[string]string{"A": "1", "EMPTY": "", "REF": "${A}"}
	for text, want := range map[string]string{
		"plain $A $$ $":           "plain $A $$ $",
		"${A}":                    "1",
		"x${A}y${A}":              "x1y1",
		"${EMPTY}":                "",
		"${EMPTY:-d}":             "d",
		"${NO:-}":                 "",
		"${NO:-a:b-c}":            "a:b-c",
		"${NO:-${A}}":             "1",
		"${NO:-${NOPE:-x}}}":      "x}",
		"${A:-${NOPE}}z":          "1z",
		"$${A}":                   "${A}",
		"$${A} ${A}":              "${A} 1",
		"${REF}":                  "${A}", // what a variable holds is not read again
		"${NO:-$${literal}}":      "${literal}",
		"ünïcode ${A} … ${NO:-ü}": "ünïcode 1 … ü",
	} {
		if got, _, err := interpolate(text, environ); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"${", "${A", "${}", "${NOPE}", "${A-b}", "${A:?b}", "${NO:-", "${NO:-${A}", "${A:-${A}", "${9}", "${A b}"} {
		if got, _, err := interpolate(text, environ); err == nil {
			t.Errorf("%s: got %q, want an error", text, got)
		}
	}
}

// case B175: a comment is none of our business.
func TestCommentsAreNotInterpolated(t *testing.T) {
	app := loaded(t, "apps: {a: {image: nginx, port: 80, route: {path: /}}} # ${NOPE} and ${\n# ${").Apps["a"]
	if app.Port != 80 {
		t.Errorf("port %d", app.Port)
	}
}

func TestReplacedValueIsReadAgain(t *testing.T) {
	app := loaded(t, `apps: {a: {image: "${I}", port: "${P}", sticky: "${S}", command: ["${S}", "${P}"], route: {path: /}}}`,
		"I=1.0", "P=80", "S=true").Apps["a"]
	if app.Image != "1.0" || app.Port != 80 || !app.Sticky || app.Command[0] != "true" || app.Command[1] != "80" {
		t.Errorf("got %+v", app)
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "1.5d": 36 * time.Hour, "0": 0, "250ms": 250 * time.Millisecond,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "30", "d", "-1s", "1d-1h", "1 d", "300000d", "106751d24h", "1dd"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]Bytes{
		"512m": 512 << 20, "1.5g": 3 << 29, "64kb": 64 << 10, "64KiB": 64 << 10, "1000": 1000, "2 G": 2 << 30, "1t": 1 << 40,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "m", "-1m", "1x", "1e3", "99999999999t", "1m1k"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}

func TestVolumeIsReadFromItsShortForm(t *testing.T) {
	for text, want := range map[string]Volume{
		"/a:/b":      {Source: "/a", Target: "/b"},
		"v:/b/":      {Source: "v", Target: "/b"},
		"v:/b:ro":    {Source: "v", Target: "/b", ReadOnly: true},
		"v:/b:ro,Z":  {Source: "v", Target: "/b", ReadOnly: true, Options: []string{"Z"}},
		"v:/b:rw,U,": {Source: "v", Target: "/b", Options: []string{"U"}},
		"/b":         {Target: "/b"},
	} {
		got := loaded(t, `apps: {a: {image: x, volumes: ["`+text+`"]}}`).Apps["a"].Volumes[0]
		if got.Source != want.Source || got.Target != want.Target || got.ReadOnly != want.ReadOnly ||
			!slices.Equal(got.Options, want.Options) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}
