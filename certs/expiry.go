package certs

import (
	"crypto/tls"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var expiry = prometheus.NewDesc("fairlead_certificate_expiry_timestamp_seconds",
	"When the certificate of a name ends, the first one if there are several, since 1970.", []string{"name"}, nil)

var _ prometheus.Collector = (*Manager)(nil)

// Describe and Collect tell when each certificate that handshakes get ends. Names come from files and routes alone.
func (m *Manager) Describe(to chan<- *prometheus.Desc) { to <- expiry }

// Collect is that of prometheus.Collector.
func (m *Manager) Collect(to chan<- prometheus.Metric) {
	for name, end := range m.current.Load().ends() {
		to <- prometheus.MustNewConstMetric(expiry, prometheus.GaugeValue, float64(end.Unix()), name)
	}
}

// ends of all certificates, by the names that they have.
func (s *set) ends() map[string]time.Time {
	all := map[string]time.Time{}
	for name, known := range s.exact {
		soonest(all, name, known...)
	}
	for parent, known := range s.under {
		soonest(all, "*."+parent, known...)
	}
	for name := range s.issuing {
		for _, c := range s.cache.AllMatchingCertificates(name) {
			soonest(all, name, &c.Certificate)
		}
	}
	return all
}

func soonest(all map[string]time.Time, name string, known ...*tls.Certificate) {
	for _, c := range known {
		if end := all[name]; c.Leaf != nil && (end.IsZero() || c.Leaf.NotAfter.Before(end)) {
			all[name] = c.Leaf.NotAfter
		}
	}
}
