package conf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Bytes is a size: "512m", "1.5g", "64kb" (of 1024, as compose counts) or a plain number.
type Bytes int64

var size = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$`)

var sizeUnits = map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

func parseBytes(s string) (Bytes, error) {
	m := size.FindStringSubmatch(strings.ToLower(s))
	if m == nil {
		return 0, fmt.Errorf("expected a size such as 512m or 2g")
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if n *= sizeUnits[m[2]]; err != nil || n >= math.MaxInt64 {
		return 0, fmt.Errorf("the size is too large")
	}
	return Bytes(n), nil
}

func (b *Bytes) decode(v value) {
	var s string
	if !v.into(&s) {
		return
	}
	n, err := parseBytes(s)
	if err != nil {
		v.fail("%v, got %s", err, v.shown())
	}
	*b = n
}
