package l7

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// json appends the line as encoding/json would have it, which spent five times as long on it.
func (l *line) json(b []byte) []byte {
	b = append(b, `{"time":"`...)
	b = l.Time.AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	for _, f := range [...]struct{ name, value string }{
		{"client", l.Client}, {"host", l.Host}, {"method", l.Method}, {"path", l.Path}, {"proto", l.Proto},
	} {
		b = appendText(b, f.name, f.value)
	}
	b = strconv.AppendInt(append(b, `,"status":`...), int64(l.Status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), l.Bytes, 10)
	b = strconv.AppendFloat(append(b, `,"seconds":`...), l.Seconds, 'f', -1, 64)
	return append(l.appendRest(b), '}')
}

// appendRest has what many lines are without.
func (l *line) appendRest(b []byte) []byte {
	for _, f := range [...]struct{ name, value string }{
		{"app", l.App}, {"replica", l.Replica}, {"request_id", l.Request}, {"trace_id", l.Trace}, {"reason", l.Reason},
	} {
		if f.value != "" {
			b = appendText(b, f.name, f.value)
		}
	}
	if l.Aborted {
		b = append(b, `,"aborted":true`...)
	}
	if l.Upgraded {
		b = append(b, `,"upgraded":true`...)
	}
	if l.Agent != "" {
		b = appendText(b, "agent", l.Agent)
	}
	if l.Referer != "" {
		b = appendText(b, "referer", l.Referer)
	}
	return b
}

func appendText(b []byte, name, value string) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	if asItIs(value) {
		return append(append(append(b, '"'), value...), '"')
	}
	quoted, _ := json.Marshal(value) // a string always can be
	return append(b, quoted...)
}

// asItIs says whether nothing in s is written otherwise in JSON.
func asItIs(s string) bool {
	for i := range len(s) {
		if !plainInJSON[s[i]] {
			return false
		}
	}
	return true
}

var plainInJSON = func() (t [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		t[c] = !strings.ContainsRune(`"\<>&`, rune(c))
	}
	return t
}()
