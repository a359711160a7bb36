package conf

import (
	"maps"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decoder is a type that reads itself out of the tree.
type decoder interface{ decode(value) }

// into decodes into what dst points to, which holds the defaults, and reports whether it found nothing wrong. What was
// not given leaves dst alone.
func (v value) into(dst any) bool {
	before := len(v.in.notes.list)
	if v.given() {
		v.assign(reflect.ValueOf(dst).Elem(), "")
	}
	return len(v.in.notes.list) == before
}

// assign decodes by the kind of dst; option comes from the field's tag.
func (v value) assign(dst reflect.Value, option string) {
	if s, ok := v.raw.(scalar); ok && (s.Broken || option == "orsource" && s.Text == "source") {
		return
	}
	switch t := dst.Addr().Interface().(type) {
	case decoder:
		t.decode(v)
		return
	case *time.Duration:
		v.duration(t, option == "never")
		return
	case *netip.Prefix:
		v.prefix(t)
		return
	}
	switch dst.Kind() {
	case reflect.Struct:
		v.structure(dst)
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		v.assign(dst.Elem(), option)
	case reflect.Map:
		v.mapping(dst)
	case reflect.Slice:
		v.list(dst, option == "one")
	case reflect.String:
		v.str(dst, option == "free")
	default:
		v.plain(dst)
	}
}

func (v value) mapping(dst reflect.Value) {
	given, ok := v.raw.(map[string]any)
	if !ok {
		v.hint("NAME: value", "expected a map, got %s", v.shown())
		return
	}
	dst.Set(reflect.MakeMapWithSize(dst.Type(), len(given)))
	for _, key := range slices.Sorted(maps.Keys(given)) {
		item := reflect.New(dst.Type().Elem()).Elem()
		host, isHost := item.Addr().Interface().(*Host)
		if isHost {
			*host = HostAt("")
		}
		switch under := v.get(key); {
		case under.given():
			under.assign(item, "free")
		case !isHost:
			under.hint("write \"\" for an empty text, \"${"+key+"}\" to pass it on", "has no value")
		}
		dst.SetMapIndex(reflect.ValueOf(key), item)
	}
}

// list reads a list, or one item where the key takes "one or a list".
func (v value) list(dst reflect.Value, one bool) {
	items := v.items()
	switch raw := v.raw.(type) {
	case []any:
	case scalar:
		if !one {
			v.hint("write ["+strings.Join(strings.Fields(raw.Source), ", ")+"]", "expected a list, got %s", v.shown())
			return
		}
		items = v.commas(raw)
	default:
		if !one || dst.Type().Elem().Kind() != reflect.Struct {
			v.wrong("a list")
			return
		}
		items = []value{v}
	}
	out := reflect.MakeSlice(dst.Type(), len(items), len(items))
	for i, item := range items {
		if !item.given() {
			item.fail("has no value")
			continue
		}
		item.assign(out.Index(i), "")
	}
	dst.Set(out)
}

// commas splits what came from the environment or a flag: FAIRLEAD_LISTEN__HTTP=:80,:8080.
func (v value) commas(s scalar) []value {
	if !s.Loose {
		return []value{v}
	}
	var items []value
	for part := range strings.SplitSeq(s.Text, ",") {
		items = append(items, value{loose(strings.TrimSpace(part)), v.path, v.in})
	}
	return items
}

// str reads a text. A plain true is refused, as who writes `image: true` means something else; but not in a map whose
// values are the app's business (free).
func (v value) str(dst reflect.Value, free bool) {
	s, ok := v.raw.(scalar)
	if !ok || (s.Tag == "!!bool" && s.Plain && !free) {
		v.wrong("text")
		return
	}
	dst.SetString(s.Text)
}

// plain reads a boolean or a number.
func (v value) plain(dst reflect.Value) {
	s, ok := v.raw.(scalar)
	quoted := ok && s.Tag == "!!str"
	switch dst.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(strings.ToLower(s.Text))
		if quoted || s.Tag != "!!bool" || err != nil {
			v.wrongNumber("true or false")
			return
		}
		dst.SetBool(b)
	case reflect.Float64:
		f, err := strconv.ParseFloat(s.Text, 64)
		if quoted || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			v.wrongNumber("a number")
			return
		}
		dst.SetFloat(f)
	default:
		n, err := strconv.ParseInt(s.Text, 10, dst.Type().Bits())
		if quoted || err != nil {
			v.wrongNumber("a whole number")
			return
		}
		dst.SetInt(n)
	}
}

func (v value) prefix(dst *netip.Prefix) {
	var s string
	if !v.into(&s) {
		return
	}
	prefix, ok := prefixOf(s)
	if !ok {
		v.wrong("an address or a network such as 192.0.2.0/24")
		return
	}
	*dst = prefix
}

// prefixOf reads a network, or an address as the network of it alone.
func prefixOf(s string) (netip.Prefix, bool) {
	if address, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), true
	}
	prefix, err := netip.ParsePrefix(s)
	return prefix.Masked(), err == nil
}

func (v value) wrong(want string) { v.fail("expected %s, got %s", want, v.shown()) }

// wrongNumber is wrong for what is not written with quotes.
func (v value) wrongNumber(want string) {
	s, ok := v.raw.(scalar)
	if ok && s.Tag == "!!str" && s.Quoted {
		v.hint("without the quotes, if that is what it says", "expected %s, got the text %s", want, v.shown())
		return
	}
	v.wrong(want)
}
