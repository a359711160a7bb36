package conf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

var days = regexp.MustCompile(`^(\d+(?:\.\d+)?)d(.*)$`)

// parseDuration reads Go's durations with days in front: "90s", "1h30m", "2d", "1d12h".
func parseDuration(s string) (time.Duration, error) {
	var whole time.Duration
	if m := days.FindStringSubmatch(s); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if n *= float64(24 * time.Hour); err != nil || n >= math.MaxInt64 {
			return 0, fmt.Errorf("the duration is too long")
		}
		if whole = time.Duration(n); m[2] == "" {
			return whole, nil
		}
		s = m[2]
	}
	rest, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("expected a duration such as 30s, 10m or 1d")
	case rest < 0:
		return 0, fmt.Errorf("a duration cannot be negative")
	case whole+rest < 0:
		return 0, fmt.Errorf("the duration is too long")
	}
	return whole + rest, nil
}

func (v value) duration(d *time.Duration, never bool) {
	var s string
	if !v.into(&s) {
		return
	}
	if never && s == "never" {
		*d = Never
		return
	}
	n, err := parseDuration(s)
	switch _, number := strconv.Atoi(s); {
	case err == nil:
		*d = n
	case number == nil:
		v.hint("with a unit: "+s+"s", "%v, got %s", err, v.shown())
	case never:
		v.fail("%v, or never, got %s", err, v.shown())
	default:
		v.fail("%v, got %s", err, v.shown())
	}
}
