package conf

import (
	"slices"
	"strings"
	"testing"
)

// P10: what is not built is refused by its name, as defaults and in templates too.
func TestNotBuiltIsRefusedByName(t *testing.T) {
	for _, line := range notBuilt {
		key, want, valued := strings.Cut(line, "=")
		if !valued {
			want = "{any: thing}"
		}
		key = strings.ReplaceAll(key, "*", "x")
		refusedAsNotBuilt(t, key, want)
		if rest, ok := strings.CutPrefix(key, "apps.x."); ok {
			refusedAsNotBuilt(t, "defaults."+rest, want)
			refusedAsNotBuilt(t, "templates.t."+rest, want)
		}
	}
}

func refusedAsNotBuilt(t *testing.T, key, text string) {
	t.Helper()
	content := strings.Join(strings.Split(key, "."), ": {") + ": '" + strings.TrimSuffix(text, "*") + "'" +
		strings.Repeat("}", strings.Count(key, "."))
	_, err := Load(Source{Paths: []string{written(t, content)}})
	problems, _ := AsErrors(err)
	found := slices.DeleteFunc(problems, func(p Problem) bool { return strings.HasSuffix(p.Message, "is missing") })
	if len(found) != 1 || found[0].Key != key || !strings.HasSuffix(found[0].Message, "is not built yet") || found[0].Line != 1 {
		t.Errorf("%s: got %v", content, err)
	}
}
