package conf

import (
	"strconv"
	"strings"
)

// suggest is the hint for an unknown key: what it is called here, or the key that it nearly is.
func suggest(parent []string, key string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	place := pattern(parent)
	if ours := lookup(called[place], key); ours != "" {
		return "here it is called " + ours
	}
	if hint := lookup(advice[place], key); hint != "" {
		return hint
	}
	for _, k := range known {
		if squeezed(k) == squeezed(key) {
			return "here it is called " + k
		}
	}
	best, distance := "", 1+len(key)/4
	for _, k := range known {
		if d := edits(squeezed(k), squeezed(key)); d <= distance && d < len(k) {
			best, distance = k, d-1
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "known here: " + strings.Join(known, ", ")
}

// pattern names the place of a path in the schema: apps.*.route.host.
func pattern(path []string) string {
	var out []string
	for i, key := range path {
		switch _, err := strconv.Atoi(key); {
		case i == 0 && key == "defaults":
			out = append(out, "apps", "*")
		case i == 0 && key == "templates":
			out = append(out, "apps")
		case i == 1 && (out[0] == "apps" || out[0] == "hosts") && len(out) == 1:
			out = append(out, "*")
		case err == nil && i > 1:
		default:
			out = append(out, key)
		}
	}
	return strings.Join(out, ".")
}

func lookup(words map[string]string, key string) string {
	for word, ours := range words {
		if squeezed(word) == squeezed(key) {
			return ours
		}
	}
	return ""
}

// squeezed makes stopGrace, stop-grace and stop_grace one word.
func squeezed(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
