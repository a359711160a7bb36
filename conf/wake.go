package conf

import (
	"net/netip"
	"reflect"
	"time"
)

// WakeOn is which clients may start an app that has no replica. All of what it has must hold; its zero value lets
// anybody.
type WakeOn struct {
	TLS      bool           // over TCP: a whole ClientHello
	Bytes    bool           // over TCP: any byte
	Prefixes []string       // the first bytes, one of these
	From     []netip.Prefix // the client's address, in one of these
	Packets  int            // over UDP: so many datagrams of one source
	Within   time.Duration  // in this time
}

// WakeLimit is how often one source address may start an app. Zero wakes: no limit.
type WakeLimit struct {
	Wakes  int           `conf:"wakes"`
	Within time.Duration `conf:"within"`
}

// decode reads one rule or a list: a word, an address, a text in quotes, or a map of packets and within.
func (w *WakeOn) decode(v value) {
	*w = WakeOn{}
	items := v.items()
	if _, list := v.raw.([]any); !list {
		items = []value{v}
	}
	for _, item := range items {
		w.rule(item)
	}
}

func (w *WakeOn) rule(v value) {
	s, ok := v.raw.(scalar)
	if !ok {
		w.packets(v)
		return
	}
	prefix, address := prefixOf(s.Text)
	switch {
	case s.Broken:
	case s.Quoted && s.Text != "" && !address:
		w.Prefixes = append(w.Prefixes, s.Text)
	case s.Text == "any":
	case s.Text == "tls":
		w.TLS = true
	case s.Text == "bytes":
		w.Bytes = true
	case address:
		w.From = append(w.From, prefix)
	default:
		v.hint("first bytes are written in quotes: \"SSH-2.0\"", "expected any, tls, bytes, an address, a network or first bytes, got %s", v.shown())
	}
}

// packets is the one rule that is a map.
func (w *WakeOn) packets(v value) {
	rule := struct {
		Packets int           `conf:"packets"`
		Within  time.Duration `conf:"within"`
	}{Within: 10 * time.Second}
	if !v.into(&rule) {
		return
	}
	if rule.Packets < 1 {
		v.hint("{packets: 20, within: 10s}", "packets is missing")
		return
	}
	positive(v.get("within"), rule.Within)
	w.Packets, w.Within = rule.Packets, rule.Within
}

func (a *App) checkWake(v value) {
	limit := v.get("wake_limit")
	notNegative(limit.get("wakes"), a.WakeLimit.Wakes)
	positive(limit.get("within"), a.WakeLimit.Within)
}

// limitsWakes says whether some clients may not start the app.
func (a *App) limitsWakes() bool {
	return !reflect.DeepEqual(a.WakeOn, WakeOn{}) || a.WakeLimit.Wakes > 0
}
