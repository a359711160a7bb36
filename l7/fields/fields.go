// Package fields holds the field lines of a message (RFC 9110, section 5) in the order and the spelling they came with:
//
//	var header fields.List
//	header.Add("Set-Cookie", "a=1")
//	header.Get("set-cookie")
//
// A header has some twenty lines, so lookups are walks: quicker than a map, and without an allocation. Values are not
// parsed beyond commas (Members), and nothing is checked: that is the protocol's part.
package fields

import (
	"iter"
	"slices"
	"strings"
)

// Field is one field line. Names compare ignoring ASCII case and keep the spelling they came with.
type Field struct{ Name, Value string }

// Is says whether the field has that name. Most differ in length already, and cost no call.
func (f Field) Is(name string) bool { return len(f.Name) == len(name) && same(f.Name, name) }

// same compares names of one length. It looks at both ends first: most names differ there.
func same(a, b string) bool {
	last := len(a) - 1
	return a == b || last >= 0 && a[0]|0x20 == b[0]|0x20 && a[last]|0x20 == b[last]|0x20 && strings.EqualFold(a, b)
}

// List is a header or trailer section, its lines in order.
type List []Field

// Get returns the value of the first line of that name; empty if there is none.
func (l List) Get(name string) string {
	if i := l.index(name); i >= 0 {
		return l[i].Value
	}
	return ""
}

// Has says whether there is a line of that name, with or without a value.
func (l List) Has(name string) bool { return l.index(name) >= 0 }

func (l List) index(name string) int {
	for i := range l {
		if l[i].Is(name) {
			return i
		}
	}
	return -1
}

// Count returns how many lines have that name.
func (l List) Count(name string) (n int) {
	for i := range l {
		if l[i].Is(name) {
			n++
		}
	}
	return n
}

// Joined returns the lines of that name as one (RFC 9110, section 5.3). It allocates only if there are several.
func (l List) Joined(name string) string {
	first := l.index(name)
	if first < 0 {
		return ""
	}
	joined := l[first].Value
	for value := range l[first+1:].All(name) {
		joined += ", " + value
	}
	return joined
}

// All yields the values of all lines of that name.
func (l List) All(name string) iter.Seq[string] {
	return func(yield func(string) bool) { l.all(name, yield) }
}

func (l List) all(name string, yield func(string) bool) {
	for i := range l {
		if l[i].Is(name) && !yield(l[i].Value) {
			return
		}
	}
}

// Members yields the members of the comma-separated lists in all lines of that name, trimmed, empty ones left out (RFC
// 9110, section 5.6.1). It knows no quoted strings: it is for fields that are lists of tokens.
func (l List) Members(name string) iter.Seq[string] {
	return func(yield func(string) bool) { l.members(name, yield) }
}

func (l List) members(name string, yield func(string) bool) {
	for i := range l {
		if l[i].Is(name) && !split(l[i].Value, yield) {
			return
		}
	}
}

func split(list string, yield func(string) bool) bool {
	for more := true; more; {
		var member string
		member, list, more = strings.Cut(list, ",")
		if member = strings.Trim(member, " \t"); member != "" && !yield(member) {
			return false
		}
	}
	return true
}

// HasMember says whether the lists in the lines of that name have a member, ignoring its case.
func (l List) HasMember(name, member string) bool {
	for found := range l.Members(name) {
		if len(found) == len(member) && strings.EqualFold(found, member) {
			return true
		}
	}
	return false
}

// Add puts a line at the end.
func (l *List) Add(name, value string) { *l = append(*l, Field{name, value}) }

// Set makes the value the only one of that name: in the place of its first line, or at the end. The line takes the new
// spelling.
func (l *List) Set(name, value string) {
	first := l.index(name)
	if first < 0 {
		l.Add(name, value)
		return
	}
	(*l)[first] = Field{name, value}
	rest := (*l)[first+1:]
	rest.Del(name)
	*l = (*l)[:first+1+len(rest)]
}

// Del removes all lines of that name.
func (l *List) Del(name string) {
	if l.index(name) >= 0 {
		l.DelFunc(func(f Field) bool { return f.Is(name) })
	}
}

// DelFunc removes the lines that drop picks. It works in place. (The function of package slices makes drop an
// allocation.)
func (l *List) DelFunc(drop func(Field) bool) {
	kept := 0
	for i, f := range *l {
		if drop(f) {
			continue
		}
		if kept < i {
			(*l)[kept] = f
		}
		kept++
	}
	clear((*l)[kept:])
	*l = (*l)[:kept]
}

// Clone copies the list and its strings, for whatever outlives the exchange that lent them. Nil stays nil.
func (l List) Clone() List {
	c := slices.Clone(l)
	for i, f := range c {
		c[i] = Field{strings.Clone(f.Name), strings.Clone(f.Value)}
	}
	return c
}
