package fields

import (
	"maps"
	"net/http"
	"slices"
)

// From makes a list of a map: by name, since a map has no order, and in the spelling of the fields' own standards. A name
// without a value, such as an announced trailer, is a line without one.
func From(h http.Header) List {
	if h == nil {
		return nil
	}
	l := make(List, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		spelt := Spell(name)
		for _, value := range h[name] {
			l.Add(spelt, value)
		}
		if len(h[name]) == 0 {
			l.Add(spelt, "")
		}
	}
	return l
}

// To adds the lines to a map under canonical names, for libraries.
func (l List) To(h http.Header) {
	for _, f := range l {
		h.Add(f.Name, f.Value)
	}
}
