package certs

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func endingAt(second int64) *tls.Certificate {
	return &tls.Certificate{Leaf: &x509.Certificate{NotAfter: time.Unix(second, 0)}}
}

// Of a name's certificates the one that ends first counts: some clients get it.
func TestEndsOfASet(t *testing.T) {
	s := &set{
		exact: map[string][]*tls.Certificate{"app.example.org": {endingAt(9), endingAt(7), endingAt(8)}, "192.0.2.1": {endingAt(5)}},
		under: map[string][]*tls.Certificate{"lab.lan": {endingAt(6)}},
	}
	got := map[string]int64{}
	for name, end := range s.ends() {
		got[name] = end.Unix()
	}
	if want := map[string]int64{"app.example.org": 7, "192.0.2.1": 5, "*.lab.lan": 6}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The metric follows what is served.
func TestExpiryIsAMetric(t *testing.T) {
	r := newRotation(t, plain)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r.Manager)
	metric := func() (name string, value float64) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil || len(families) != 1 || len(families[0].Metric) != 1 {
			t.Fatalf("%v, %v", families, err)
		}
		m := families[0].Metric[0]
		return m.Label[0].GetValue(), m.Gauge.GetValue()
	}
	state, err := handshake(t, r.TLSConfig("http/1.1"), r.a.client("app.example.org"))
	if err != nil {
		t.Fatal(err)
	}
	if name, value := metric(); name != "app.example.org" || int64(value) != state.PeerCertificates[0].NotAfter.Unix() {
		t.Errorf("%s ends at %v", name, value)
	}
	other := r.a.issue("other", "other.example.org")
	change, err := r.Prepare(files(other))
	if err != nil {
		t.Fatal(err)
	}
	change.Apply(Ports{})
	if name, _ := metric(); name != "other.example.org" {
		t.Errorf("after a reload it is of %s", name)
	}
}
