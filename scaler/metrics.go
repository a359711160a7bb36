package scaler

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of starts. A nil *Metrics measures nothing.
type Metrics struct {
	phases   *prometheus.HistogramVec
	failures *prometheus.CounterVec
}

// NewMetrics registers the scaler's metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		phases: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "fairlead_cold_start_seconds",
			Help:    "Time of a replica's start by phase: pull, engine, ready, total.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 4, 8, 16, 32, 64},
		}, []string{"app", "phase"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fairlead_start_failures_total",
			Help: "Starts that did not end in readiness.",
		}, []string{"app"}),
	}
	r.MustRegister(m.phases, m.failures)
	return m
}

func (m *Metrics) phase(app, phase string, began time.Time) {
	if m != nil {
		m.phases.WithLabelValues(app, phase).Observe(time.Since(began).Seconds())
	}
}

func (m *Metrics) failed(app string) {
	if m != nil {
		m.failures.WithLabelValues(app).Inc()
	}
}
