package l7

import (
	"maps"
	"slices"
	"strings"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/fields"
)

// edits of a header, as an operator wants them.
type edits struct {
	remove   []string
	set, add []edit
}

type edit struct {
	name  string
	value template
}

// template is a text cut at its placeholders: one literal more than there are words.
type template struct{ literals, words []string }

// editsOf returns nil if there is nothing to edit.
func editsOf(e conf.Edits) *edits {
	if len(e.Set)+len(e.Add)+len(e.Remove) == 0 {
		return nil
	}
	return &edits{remove: e.Remove, set: sorted(e.Set), add: sorted(e.Add)}
}

func sorted(values map[string]string) (list []edit) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, edit{name, templateOf(values[name])})
	}
	return list
}

func templateOf(text string) (t template) {
	from := 0
	for _, at := range conf.Placeholder.FindAllStringSubmatchIndex(text, -1) {
		t.literals = append(t.literals, text[from:at[0]])
		t.words = append(t.words, text[at[2]:at[3]])
		from = at[1]
	}
	t.literals = append(t.literals, text[from:])
	return t
}

// apply edits h. Nil edits nothing.
func (e *edits) apply(h *fields.List, s *story) {
	if e == nil {
		return
	}
	for _, name := range e.remove {
		h.Del(name)
	}
	for i := range e.set {
		h.Set(e.set[i].name, e.set[i].value.filled(s))
	}
	for i := range e.add {
		h.Add(e.add[i].name, e.add[i].value.filled(s))
	}
}

func (t *template) filled(s *story) string {
	if len(t.words) == 0 {
		return t.literals[0]
	}
	var b strings.Builder
	for i, word := range t.words {
		b.WriteString(t.literals[i])
		b.WriteString(s.word(word))
	}
	b.WriteString(t.literals[len(t.words)])
	return b.String()
}

// word is what a placeholder stands for (conf.Placeholders).
func (s *story) word(name string) string {
	switch name {
	case "app":
		return s.route.app.name
	case "client":
		return s.outside.client
	case "host":
		return s.outside.host
	case "method":
		return s.x.Method
	case "path":
		return s.asked.path
	case "replica":
		return s.record.replica
	case "request_id":
		return s.record.id
	case "scheme":
		return s.outside.scheme
	}
	return ""
}
