package conf

import "net/url"

// Tracing is where spans go. Without OTLP there are none, and trace headers pass as they come.
type Tracing struct {
	OTLP    string            `conf:"otlp"` // the collector's URL over HTTP; empty: off
	Headers map[string]Secret `conf:"headers"`
	Service string            `conf:"service"`
	Sample  float64           `conf:"sample"` // the share of the traces that begin here
}

func (t *Tracing) check(v value) {
	if t.OTLP == "" {
		if v.given() && !v.faulty() {
			v.missing("otlp", "http://127.0.0.1:4318")
		}
		return
	}
	at := v.get("otlp")
	u, err := url.Parse(t.OTLP)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		at.hint("http://127.0.0.1:4318", "expected the URL of a collector, got %s", at.shown())
	case u.Port() == "4317":
		at.hint("http://"+u.Hostname()+":4318", "4317 is OTLP over gRPC: spans are sent over HTTP")
	}
	if t.Sample < 0 || t.Sample > 1 {
		v.get("sample").refuse("is a share from 0 to 1")
	}
}
