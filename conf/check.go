package conf

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// check finds what each value is too much, too little or too strange for, and what they contradict in each other.
func check(c *Config, root value) {
	if c.Version != 1 {
		root.get("version").fail("this Fairlead reads version 1, not %d", c.Version)
	}
	checkName(root.get("instance"), c.Instance)
	positive(root.get("reconcile"), c.Reconcile)
	checkListen(c, root)
	checkTLS(c, root)
	c.Log.Access.check(root.get("log", "access"))
	c.Tracing.check(root.get("tracing"))
	checkHosts(c, root)
	for _, name := range sortedKeys(c.Apps) {
		checkApp(c, c.Apps[name], root)
	}
	checkAdoptions(c, root)
	checkRoutes(c, root)
	warnAbout(c, root)
}

// Names become parts of container names, cookie names and URLs.
var label = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

func checkName(v value, name string) {
	if label.MatchString(name) {
		return
	}
	better := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	hint := ""
	if label.MatchString(better) {
		hint = "for example " + better
	}
	v.hint(hint, "a name has small letters, digits and hyphens inside, at most 63")
}

func positive[T ~int | ~int64 | ~float64](v value, n T) {
	if v.given() && n <= 0 && !v.faulty() {
		v.fail("must be more than 0")
	}
}

func notNegative[T ~int | ~int64 | ~float64](v value, n T) {
	if n < 0 {
		v.fail("cannot be negative")
	}
}

// faulty reports whether the value itself was refused already.
func (v value) faulty() bool {
	if s, ok := v.raw.(scalar); ok && s.Broken {
		return true
	}
	key := v.key()
	return slices.ContainsFunc(v.in.notes.list, func(p Problem) bool {
		return p.Key == key || strings.HasPrefix(p.Key, key+".")
	})
}

// missing notes a key that must be there, unless the map has a key that nobody knows: that is likely the one.
func (v value) missing(key, hint string) {
	if _, ok := v.raw.(map[string]any); !ok && v.given() {
		return // which was noted
	}
	if !v.strays() && !v.get(key).faulty() {
		v.hint(hint, "%s is missing", key)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
