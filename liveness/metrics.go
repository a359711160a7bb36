package liveness

import (
	"github.com/fairlead/fairlead/runtime"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of looks. A nil *Metrics measures nothing.
type Metrics struct {
	looks *prometheus.CounterVec
	took  *prometheus.HistogramVec
}

// NewMetrics registers the metrics of looks.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		looks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fairlead_looks_total",
			Help: "Looks over hosts, and the verdicts on single replicas in them.",
		}, []string{"host", "result"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "fairlead_look_seconds",
			Help:    "Time of a look over a host.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"host"}),
	}
	r.MustRegister(m.looks, m.took)
	return m
}

func (m *Metrics) look(host string, o runtime.Outcome) {
	if m == nil {
		return
	}
	m.took.WithLabelValues(host).Observe(o.Took.Seconds())
	if o.Err != nil {
		m.looks.WithLabelValues(host, "failed").Inc()
		return
	}
	m.looks.WithLabelValues(host, "answered").Inc()
	for _, observation := range o.Report.Observations {
		m.looks.WithLabelValues(host, observation.Verdict.String()).Inc()
	}
}
