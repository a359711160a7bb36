package page

import (
	"strconv"
	"strings"
)

// Language is one set of words.
type Language struct {
	Tag   string
	words map[string]words // by reason
}

type words struct{ Title, Text string }

type part struct {
	Reason string
	words
}

func (l *Language) parts() []part {
	var list []part
	for _, reason := range []string{Starting, Full, Failed, ShuttingDown} {
		list = append(list, part{reason, l.words[reason]})
	}
	return list
}

// Choose picks the language that an Accept-Language header likes best (RFC 9110 section 12.5.4); English if none of
// ours is in it.
func Choose(accept string) *Language {
	best, liking := &english, 0.0
	for item := range strings.SplitSeq(accept, ",") {
		tag, q := weighed(item)
		if l := byTag(tag); l != nil && q > liking {
			best, liking = l, q
		}
	}
	return best
}

func weighed(item string) (tag string, q float64) {
	tag, parameters, _ := strings.Cut(item, ";")
	q = 1
	if value, ok := strings.CutPrefix(strings.TrimSpace(parameters), "q="); ok {
		q, _ = strconv.ParseFloat(value, 64) // what is no number weighs nothing
	}
	return strings.ToLower(strings.TrimSpace(tag)), q
}

// byTag takes the language alone: our words for pt-BR serve every pt, those for es every es.
func byTag(tag string) *Language {
	primary, _, _ := strings.Cut(tag, "-")
	return languages[primary]
}
