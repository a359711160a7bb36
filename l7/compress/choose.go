package compress

import (
	"strconv"
	"strings"
)

// Coding is a content coding that we can make.
type Coding int

// The codings, the better ones later.
const (
	None Coding = iota
	Gzip
	Zstd
)

// String is the coding's name in a header.
func (c Coding) String() string { return [...]string{"identity", "gzip", "zstd"}[c] }

// Choose picks the coding that an Accept-Encoding likes best (RFC 9110 section 12.5.3), the better one of two that it
// likes the same. Where it is empty, or would rather have the answer as it is, that is None.
func Choose(accept string) Coding {
	const unsaid = -1
	liking := [...]float64{unsaid, unsaid, unsaid}
	rest := 0.0 // of what is not named
	for item := range strings.SplitSeq(accept, ",") {
		name, q := weighed(item)
		if name == "*" {
			rest = q
		} else if c, ok := named(name); ok {
			liking[c] = q
		}
	}
	best, most := None, max(liking[None], 0)
	for _, c := range []Coding{Gzip, Zstd} {
		if liking[c] == unsaid {
			liking[c] = rest
		}
		if q := liking[c]; q > 0 && q >= most {
			best, most = c, q
		}
	}
	return best
}

func named(name string) (Coding, bool) {
	switch strings.ToLower(name) {
	case "identity":
		return None, true
	case "gzip", "x-gzip":
		return Gzip, true
	case "zstd":
		return Zstd, true
	}
	return None, false
}

// weighed reads "gzip;q=0.5". A weight that is none counts as 0: what it was meant to say, nobody knows.
func weighed(item string) (name string, q float64) {
	name, parameter, weight := strings.Cut(item, ";")
	name = strings.TrimSpace(name)
	if !weight {
		return name, 1
	}
	key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	q, err := strconv.ParseFloat(value, 64)
	if !strings.EqualFold(key, "q") || err != nil || !(q >= 0 && q <= 1) {
		return name, 0
	}
	return name, q
}
